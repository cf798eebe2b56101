-- How far each visit came.
select
    s.session_id,
    s.customer_id,
    s.session_date,
    s.channel,
    s.device,
    count(v.page_view_id) as page_views,
    bool_or(v.page = 'product') as saw_product,
    bool_or(v.page = 'cart') as saw_cart,
    bool_or(v.page = 'checkout') as saw_checkout,
    bool_or(v.page = 'thanks') as bought
from {{ ref('stg_sessions') }} as s
left join {{ ref('stg_page_views') }} as v
    on v.session_id = s.session_id
group by s.session_id, s.customer_id, s.session_date, s.channel, s.device
