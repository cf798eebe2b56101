select region, count(*) as files_read, sum(amount) as amount
from read_csv('landing/*/sales_*.csv', header = true, union_by_name = true, types = {'amount': 'decimal(18, 2)'})
group by region
