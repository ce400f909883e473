# writes and reads a CSV file
import csv
rows = [{"name": "Zoë", "sum": "1.50"}, {"name": 'quoted "x", y', "sum": "-2"}]
with open("rows.csv", "w", newline="") as f:
    writer = csv.DictWriter(f, ["name", "sum"])
    writer.writeheader()
    writer.writerows(rows)
with open("rows.csv", newline="") as f:
    assert list(csv.DictReader(f)) == rows
set_result("works")
