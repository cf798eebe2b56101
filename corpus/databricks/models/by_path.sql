select id, amount from delta.`/mnt/lake/sales` where amount > 0
