select
    id as page_view_id,
    session_id,
    page,
    viewed_at
from {{ source('web', 'page_views') }}
