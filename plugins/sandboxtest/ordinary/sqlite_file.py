# keeps a table in an SQLite file, with a transaction that is undone
import sqlite3
with sqlite3.connect("data.db") as db:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE sums (name TEXT PRIMARY KEY, cents INTEGER)")
    db.executemany("INSERT INTO sums VALUES (?, ?)", [("a", 100), ("b", 250)])
try:
    with db:
        db.execute("INSERT INTO sums VALUES ('c', 1)")
        db.execute("INSERT INTO sums VALUES ('a', 1)")
except sqlite3.IntegrityError:
    pass
db.close()
other = sqlite3.connect("data.db")
assert other.execute("SELECT count(*), sum(cents) FROM sums").fetchone() == (2, 350)
set_result("works")
