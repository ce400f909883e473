# groups, joins and resamples with pandas, from CSV and SQL
# needs: pandas
import io, sqlite3
import pandas as pd
text = "day,shop,sum\n2026-01-01,a,1.5\n2026-01-02,a,2\n2026-02-01,b,4\n"
frame = pd.read_csv(io.StringIO(text), parse_dates=["day"])
assert frame.groupby("shop")["sum"].sum().to_dict() == {"a": 3.5, "b": 4.0}
assert frame.set_index("day")["sum"].resample("M").sum().tolist() == [3.5, 4.0]
names = pd.DataFrame({"shop": ["a", "b"], "name": ["Alpha", "Beta"]})
assert frame.merge(names, on="shop")["name"].tolist() == ["Alpha", "Alpha", "Beta"]
with sqlite3.connect(":memory:") as db:
    frame.to_sql("sums", db, index=False)
    assert pd.read_sql("SELECT sum(sum) AS s FROM sums", db)["s"][0] == 7.5
frame["day"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
set_result("works")
