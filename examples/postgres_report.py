"""Reports invoices by customer, from PostgreSQL.

Needs the keys PG_HOST (plain), PG_USER (plain) and PG_PASSWORD (injected: the driver computes with
it), and the host {PG_HOST}:5432.
inputs: {"since": "2026-01-01"}

The database adds up, in exact decimals. The script sends the date as a parameter, never inside the
SQL.
"""

try:
    import psycopg
except ImportError:  # Debian 12 has the older driver
    import psycopg2 as psycopg

from airlock import inputs, set_result, settings

QUERY = """
    SELECT customer, count(*), sum(amount), max(issued)
    FROM invoices WHERE issued >= %s
    GROUP BY customer ORDER BY sum(amount) DESC, customer
"""

db = psycopg.connect(
    host=settings.get("PG_HOST"),
    user=settings.get("PG_USER"),
    password=settings.get("PG_PASSWORD"),
    dbname="postgres",
    connect_timeout=20,
)
with db, db.cursor() as cursor:
    cursor.execute(QUERY, (inputs["since"],))
    rows = cursor.fetchall()

print("%d customers" % len(rows))
set_result({
    "since": inputs["since"],
    "customers": [
        {"customer": name, "invoices": count, "amount": amount, "latest": latest}
        for name, count, amount, latest in rows
    ],
    "total": sum(row[2] for row in rows),
})
