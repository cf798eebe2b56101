select now_there.id, now_there.price, before.price as price_before
from `main`.`raw`.`products` now_there
left anti join `main`.`raw`.`discontinued` d on d.id = now_there.id
left join `main`.`raw`.`products` version as of 12 before on before.id = now_there.id
