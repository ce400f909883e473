"""Adds up years of observations month by month: a long job that reports its progress.

Needs the keys WEATHER_URL (plain) and WEATHER_API_TOKEN (sealed), and the host of that URL.
inputs: {"from": 2012, "to": 2015}; ask for a timeout that is long enough.

The execution's page in the UI shows its output while it runs; the agent gets the output at the end.
It sets its result after each year, so it leaves the years so far when it is cancelled or runs out
of time.
"""

import json
import time
import urllib.parse
import urllib.request
from decimal import Decimal

from airlock import inputs, set_result, settings

started = time.monotonic()
years = range(int(inputs["from"]), int(inputs["to"]) + 1)
done, steps, totals = 0, 12 * len(years), {}


def month_of(year, month):
    query = urllib.parse.urlencode({"year": year, "month": month})
    request = urllib.request.Request(
        settings.get("WEATHER_URL") + "/observations?" + query,
        headers={"Authorization": "Bearer " + settings.get("WEATHER_API_TOKEN")},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer, parse_float=Decimal, parse_int=Decimal)["items"]


for year in years:
    total = Decimal(0)
    for month in range(1, 13):
        total += sum(day["precipitation_mm"] for day in month_of(year, month))
        done += 1
        elapsed = time.monotonic() - started
        print("%3d%% after %.1f s: %d-%02d" % (100 * done // steps, elapsed, year, month), flush=True)
    totals[str(year)] = total
    set_result({"precipitation_mm": totals, "complete": done == steps})
