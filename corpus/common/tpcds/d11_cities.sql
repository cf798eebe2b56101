-- Customers who buy in another city than they live in.
select distinct c.c_last_name, c.c_first_name, home.ca_city as lives_in, s.s_city as buys_in
from store_sales ss
join store s on s.s_store_sk = ss.ss_store_sk
join customer c on c.c_customer_sk = ss.ss_customer_sk
join customer_address home on home.ca_address_sk = c.c_current_addr_sk
left join customer_demographics cd on cd.cd_demo_sk = c.c_current_cdemo_sk
where upper(home.ca_city) <> upper(s.s_city)
    and (cd.cd_education_status in ('College', '4 yr Degree') or cd.cd_credit_rating = 'Good')
    and home.ca_state = s.s_state
    and c.c_birth_year not between 1930 and 1940
order by 1, 2, 3, 4
limit 500
