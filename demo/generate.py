"""Makes the data of the demo: the seeds of the dbt project, and the tables that the shop's own systems would write.

Everything is invented and comes out the same on every machine: one seeded generator per table, no clock.

    python generate.py SEEDS_FOLDER WAREHOUSE_FILE
"""

from __future__ import annotations

import csv
import datetime as dt
import random
import sys
import tempfile
from pathlib import Path

import duckdb

FIRST, LAST = dt.date(2024, 1, 1), dt.date(2025, 12, 31)
DAYS = [FIRST + dt.timedelta(days=n) for n in range((LAST - FIRST).days + 1)]

COUNTRIES = [
    ("DE", "Germany", "EUR", 19), ("AT", "Austria", "EUR", 20), ("FR", "France", "EUR", 20),
    ("NL", "Netherlands", "EUR", 21), ("IT", "Italy", "EUR", 22), ("ES", "Spain", "EUR", 21),
    ("IE", "Ireland", "EUR", 23), ("GB", "United Kingdom", "GBP", 20), ("CH", "Switzerland", "CHF", 8),
    ("SE", "Sweden", "SEK", 25), ("DK", "Denmark", "DKK", 25), ("US", "United States", "USD", 0),
]  # fmt: skip
CURRENCIES = {"EUR": 1.0, "GBP": 1.17, "CHF": 1.05, "SEK": 0.088, "DKK": 0.134, "USD": 0.92}
CATEGORIES = {
    "tents": ("Shelter", 180, 620), "tarps": ("Shelter", 45, 190), "sleeping-bags": ("Sleep", 80, 420),
    "mats": ("Sleep", 25, 190), "stoves": ("Kitchen", 30, 170), "cookware": ("Kitchen", 12, 90),
    "jackets": ("Clothing", 90, 480), "base-layers": ("Clothing", 28, 95), "boots": ("Footwear", 110, 310),
    "trail-shoes": ("Footwear", 85, 190), "packs": ("Carry", 60, 340), "lamps": ("Electronics", 18, 120),
}  # fmt: skip
ADJECTIVES = [
    "Alder",
    "Basalt",
    "Cirrus",
    "Drift",
    "Ember",
    "Fell",
    "Granite",
    "Heron",
    "Isle",
    "Juniper",
    "Kestrel",
    "Lichen",
    "Moraine",
]
FIRST_NAMES = [
    "Ada",
    "Bo",
    "Chiara",
    "Dario",
    "Elif",
    "Finn",
    "Greta",
    "Hugo",
    "Ines",
    "Jonas",
    "Kaia",
    "Luca",
    "Mira",
    "Noor",
    "Otis",
]
LAST_NAMES = [
    "Albers",
    "Brandt",
    "Costa",
    "Dahl",
    "Ek",
    "Fabre",
    "Gruber",
    "Hansen",
    "Ivers",
    "Jansen",
    "Keller",
    "Lund",
    "Moreau",
    "Novak",
]
CHANNELS = {"organic": 0, "newsletter": 60, "search-ads": 480, "social-ads": 350, "affiliates": 140, "display": 210}
CARRIERS = [
    ("swiftpost", "SwiftPost", 3),
    ("parcelway", "Parcelway", 4),
    ("nordfracht", "Nordfracht", 5),
    ("bluevan", "BlueVan", 2),
]


def seeds() -> dict[str, list[tuple]]:
    """The reference data that the analysts keep under version control: header first."""
    rng = random.Random(11)
    products = [("product_id", "sku", "product_name", "category", "list_price", "unit_cost", "launched_on")]
    for number in range(1, 157):
        category = list(CATEGORIES)[(number - 1) % len(CATEGORIES)]
        _, low, high = CATEGORIES[category]
        price = round(rng.uniform(low, high)) - 0.05
        thing = category.rstrip("s").replace("-", " ").title()
        name = f"{ADJECTIVES[(number * 7) % len(ADJECTIVES)]} {thing} {rng.choice([1, 2, 3, 'X', 'Pro', 'Lite'])}"
        cost = round(price * rng.uniform(0.38, 0.64), 2)
        launched = FIRST - dt.timedelta(days=rng.randrange(30, 900))
        products.append(
            (number, f"FW-{category[:3].upper()}-{number:04d}", name, category, f"{price:.2f}", f"{cost:.2f}", launched)
        )

    rates = [("rate_date", "currency", "rate_to_eur")]
    level = dict(CURRENCIES)
    for day in DAYS:
        for currency in CURRENCIES:
            if currency != "EUR":
                level[currency] *= 1 + rng.gauss(0, 0.002)
            rates.append((day, currency, f"{level[currency]:.6f}"))

    spend = [("spend_date", "channel", "amount_eur", "clicks")]
    for day in DAYS:
        for channel, base in CHANNELS.items():
            if base:
                amount = base * season(day) * rng.uniform(0.75, 1.25)
                spend.append((day, channel, f"{amount:.2f}", int(amount / rng.uniform(0.5, 1.4))))

    return {
        "products": products,
        "categories": [("category", "department"), *((name, spec[0]) for name, spec in CATEGORIES.items())],
        "countries": [("country_code", "country_name", "currency", "vat_percent"), *COUNTRIES],
        "carriers": [("carrier_id", "carrier_name", "promised_days"), *CARRIERS],
        "exchange_rates": rates,
        "marketing_spend": spend,
    }


def season(day: dt.date) -> float:
    """Demand over the year: the tent season, and gifts before Christmas."""
    return 1.0 + {4: 0.15, 5: 0.4, 6: 0.7, 7: 0.6, 8: 0.3, 11: 0.25, 12: 0.55}.get(day.month, 0.0)


def moment(rng: random.Random, day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(min(23, int(rng.triangular(6, 24, 20))), rng.randrange(60), rng.randrange(60)))


def tables(products: list[tuple]) -> dict[str, list[tuple]]:
    """What the shop's and the website's own databases hold: dbt reads it as sources and never writes it."""
    rng = random.Random(23)
    price = {row[0]: float(row[4]) for row in products[1:]}
    weights = [season(day) for day in DAYS]

    customers = []
    for number in range(1, 1801):
        first, last = rng.choice(FIRST_NAMES), rng.choice(LAST_NAMES)
        joined = rng.choice(DAYS[: len(DAYS) - 30])
        country = rng.choices([c[0] for c in COUNTRIES], [30, 8, 14, 10, 8, 8, 3, 12, 6, 5, 4, 4])[0]
        customers.append(
            (number, first, last, f"{first}.{last}{number}@example.com".lower(), country, joined, rng.random() < 0.62)
        )

    orders, items, payments, shipments, returns = [], [], [], [], []
    days = sorted(rng.choices(DAYS, weights, k=6200))
    for number, day in enumerate(days, start=1):
        customer = customers[min(int(rng.expovariate(1 / 520)), len(customers) - 1)]
        at = moment(rng, max(day, customer[5]))
        status = rng.choices(["completed", "cancelled", "placed"], [93, 4, 3])[0]
        channel = rng.choices(list(CHANNELS), [34, 16, 22, 14, 8, 6])[0]
        orders.append((number, customer[0], at, status, customer[4], channel))
        total = 0.0
        for _ in range(rng.choices([1, 2, 3, 4, 5], [42, 28, 16, 9, 5])[0]):
            product = min(int(rng.expovariate(1 / 45)) + 1, len(price))
            quantity = rng.choices([1, 2, 3], [84, 13, 3])[0]
            discount = rng.choices([0, 5, 10, 20], [70, 12, 12, 6])[0]
            items.append((len(items) + 1, number, product, quantity, int(price[product] * 100), discount))
            total += quantity * price[product] * (100 - discount) / 100
            if status == "completed" and rng.random() < 0.07:
                back = at.date() + dt.timedelta(days=rng.randrange(4, 28))
                returns.append(
                    (
                        len(returns) + 1,
                        len(items),
                        back,
                        rng.choice(["too small", "too large", "damaged", "changed mind"]),
                    )
                )
        if status != "cancelled":
            method = rng.choices(["card", "paypal", "invoice", "gift-card"], [52, 30, 14, 4])[0]
            payments.append(
                (len(payments) + 1, number, method, int(total * 100), at + dt.timedelta(minutes=rng.randrange(1, 90)))
            )
        if status == "completed":
            carrier = rng.choices([c[0] for c in CARRIERS], [40, 30, 20, 10])[0]
            sent = at + dt.timedelta(hours=rng.randrange(4, 50))
            shipments.append((len(shipments) + 1, number, carrier, sent, sent + dt.timedelta(hours=int(rng.gammavariate(5, 16)))))

    tickets = []
    for number in range(1, 901):
        order = rng.choice(orders)
        opened = order[2] + dt.timedelta(hours=rng.randrange(2, 400))
        topic = rng.choices(["delivery", "return", "product", "payment"], [45, 30, 15, 10])[0]
        closed = opened + dt.timedelta(minutes=int(rng.expovariate(1 / 900))) if rng.random() < 0.95 else None
        tickets.append((number, order[0], topic, opened, closed, rng.choices([1, 2, 3, 4, 5], [5, 6, 12, 35, 42])[0]))

    sessions, views = [], []
    for number, day in enumerate(sorted(rng.choices(DAYS, weights, k=42000)), start=1):
        at = moment(rng, day)
        known = rng.choice(customers)[0] if rng.random() < 0.3 else None
        channel = rng.choices(list(CHANNELS), [34, 12, 22, 18, 7, 7])[0]
        sessions.append((number, known, at, channel, rng.choices(["phone", "desktop", "tablet"], [58, 36, 6])[0]))
        for step in range(min(1 + int(rng.expovariate(1 / 3)), 20)):
            page = (
                "home" if step == 0 else rng.choices(["category", "product", "cart", "checkout", "thanks"], [30, 44, 14, 8, 4])[0]
            )
            views.append((len(views) + 1, number, page, at + dt.timedelta(seconds=step * rng.randrange(5, 90))))

    return {
        "shop.customers": customers,
        "shop.orders": orders,
        "shop.order_items": items,
        "shop.payments": payments,
        "shop.shipments": shipments,
        "shop.returns": returns,
        "shop.tickets": tickets,
        "web.sessions": sessions,
        "web.page_views": views,
    }


COLUMNS = {
    "shop.customers": "id integer, first_name varchar, last_name varchar, email varchar, country varchar, "
    "joined_on date, newsletter boolean",
    "shop.orders": "id integer, customer_id integer, ordered_at timestamp, status varchar, country varchar, channel varchar",
    "shop.order_items": "id integer, order_id integer, product_id integer, quantity integer, "
    "unit_price_cents integer, discount_percent integer",
    "shop.payments": "id integer, order_id integer, method varchar, amount_cents integer, paid_at timestamp",
    "shop.shipments": "id integer, order_id integer, carrier varchar, sent_at timestamp, delivered_at timestamp",
    "shop.returns": "id integer, order_item_id integer, returned_on date, reason varchar",
    "shop.tickets": "id integer, order_id integer, topic varchar, opened_at timestamp, closed_at timestamp, rating integer",
    "web.sessions": "id integer, customer_id integer, started_at timestamp, channel varchar, device varchar",
    "web.page_views": "id integer, session_id integer, page varchar, viewed_at timestamp",
}


def write_csv(path: Path, rows: list[tuple]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def generate(seeds_folder: Path, warehouse: Path) -> dict[str, int]:
    """Write everything; returns the rows of each seed and table."""
    counts = {}
    made = seeds()
    for name, rows in made.items():
        write_csv(seeds_folder / f"{name}.csv", rows)
        counts[name] = len(rows) - 1
    with duckdb.connect(str(warehouse)) as connection, tempfile.TemporaryDirectory() as scratch:
        for schema in ("shop", "web"):
            connection.execute(f"create schema {schema}")
        for name, rows in tables(made["products"]).items():
            write_csv(file := Path(scratch) / f"{name}.csv", rows)
            types = dict(column.split() for column in COLUMNS[name].split(", "))
            connection.execute(f"create table {name} ({COLUMNS[name]})")
            connection.execute(
                f"insert into {name} from read_csv('{file}', header = false, auto_detect = false, columns = {types})"
            )
            counts[name] = len(rows)
    return counts


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for name, rows in generate(Path(sys.argv[1]), Path(sys.argv[2])).items():
        print(f"{rows:>8}  {name}")
