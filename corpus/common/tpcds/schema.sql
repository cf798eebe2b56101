-- Those tables of TPC-DS, and those of their columns, that the queries beside this file read.
create table date_dim (d_date_sk bigint, d_date date, d_month_seq int, d_week_seq int, d_year int, d_moy int, d_qoy int, d_day_name varchar(9), d_weekend varchar(1), d_holiday varchar(1));
create table time_dim (t_time_sk bigint, t_hour int, t_minute int, t_shift varchar(20), t_meal_time varchar(20));
create table item (i_item_sk bigint, i_item_id varchar(16), i_item_desc varchar(200), i_current_price decimal(7, 2), i_wholesale_cost decimal(7, 2), i_brand varchar(50), i_class varchar(50), i_category varchar(50), i_manager_id int, i_product_name varchar(50));
create table store (s_store_sk bigint, s_store_id varchar(16), s_store_name varchar(50), s_number_employees int, s_city varchar(60), s_state varchar(2), s_market_id int, s_closed_date_sk bigint);
create table customer (c_customer_sk bigint, c_customer_id varchar(16), c_current_addr_sk bigint, c_current_cdemo_sk bigint, c_current_hdemo_sk bigint, c_first_name varchar(20), c_last_name varchar(30), c_birth_year int, c_birth_country varchar(20), c_preferred_cust_flag varchar(1));
create table customer_address (ca_address_sk bigint, ca_city varchar(60), ca_county varchar(30), ca_state varchar(2), ca_zip varchar(10), ca_country varchar(20));
create table customer_demographics (cd_demo_sk bigint, cd_gender varchar(1), cd_marital_status varchar(1), cd_education_status varchar(20), cd_credit_rating varchar(10));
create table household_demographics (hd_demo_sk bigint, hd_income_band_sk bigint, hd_buy_potential varchar(15), hd_dep_count int, hd_vehicle_count int);
create table promotion (p_promo_sk bigint, p_promo_name varchar(50), p_channel_email varchar(1), p_channel_tv varchar(1), p_cost decimal(15, 2));
create table warehouse (w_warehouse_sk bigint, w_warehouse_name varchar(20), w_state varchar(2));
create table reason (r_reason_sk bigint, r_reason_desc varchar(100));
create table inventory (inv_date_sk bigint, inv_item_sk bigint, inv_warehouse_sk bigint, inv_quantity_on_hand int);
create table store_sales (ss_sold_date_sk bigint, ss_sold_time_sk bigint, ss_item_sk bigint, ss_customer_sk bigint, ss_cdemo_sk bigint, ss_hdemo_sk bigint, ss_addr_sk bigint, ss_store_sk bigint, ss_promo_sk bigint, ss_ticket_number bigint, ss_quantity int, ss_sales_price decimal(7, 2), ss_ext_discount_amt decimal(7, 2), ss_net_paid decimal(7, 2), ss_net_profit decimal(7, 2));
create table store_returns (sr_returned_date_sk bigint, sr_item_sk bigint, sr_customer_sk bigint, sr_store_sk bigint, sr_reason_sk bigint, sr_ticket_number bigint, sr_return_quantity int, sr_return_amt decimal(7, 2));
create table catalog_sales (cs_sold_date_sk bigint, cs_ship_date_sk bigint, cs_bill_customer_sk bigint, cs_item_sk bigint, cs_warehouse_sk bigint, cs_promo_sk bigint, cs_order_number bigint, cs_quantity int, cs_net_paid decimal(7, 2), cs_net_profit decimal(7, 2));
create table web_sales (ws_sold_date_sk bigint, ws_ship_date_sk bigint, ws_bill_customer_sk bigint, ws_item_sk bigint, ws_warehouse_sk bigint, ws_order_number bigint, ws_quantity int, ws_net_paid decimal(7, 2), ws_net_profit decimal(7, 2));
