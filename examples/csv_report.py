"""Reports the weather of one year by month, with pandas, from a service that serves CSV.

Needs the keys WEATHER_URL (plain) and WEATHER_API_TOKEN (sealed), and the host of that URL.
inputs: {"year": 2015}

Amounts are whole tenths of a millimetre, because sums of binary fractions would depend on the order
of the rows.
"""

import io
import urllib.request

import pandas

from airlock import inputs, set_result, settings

year = int(inputs["year"])
request = urllib.request.Request(
    "%s/observations.csv?year=%d" % (settings.get("WEATHER_URL"), year),
    headers={"Authorization": "Bearer " + settings.get("WEATHER_API_TOKEN")},
)
with urllib.request.urlopen(request, timeout=20) as answer:
    days = pandas.read_csv(io.StringIO(answer.read().decode()), parse_dates=["date"])

days["tenths"] = (days["precipitation"] * 10).round().astype("int64")
months = days.groupby(days["date"].dt.month).agg(
    days=("date", "size"), tenths=("tenths", "sum"), warmest=("temp_max", "max"), coldest=("temp_min", "min")
)
print("%d days of %d" % (len(days), year))
set_result({"year": year, "days": len(days), "precipitation_tenths_mm": days["tenths"].sum(), "months": months})
