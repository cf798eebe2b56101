select 'it''s open as note from "shop"."main"."fct_orders"
