"""Reports the weather of one year, month by month.

Needs the keys WEATHER_URL (plain) and WEATHER_API_TOKEN (sealed), and the host of that URL.
inputs: {"year": 2015}

The script computes all figures in decimal arithmetic: the same code and data give the same numbers
every time. The language model only writes the two sentences on top.
"""

import json
import urllib.parse
import urllib.request
from decimal import ROUND_HALF_EVEN, Decimal

from airlock import inputs, llm, set_result, settings

MONTHS = "January February March April May June July August September October November December".split()
TENTH = Decimal("0.1")
WET = Decimal("1.0")  # a day with at least this many millimetres is a wet day


def fetch(year):
    """Returns all observations of a year, page by page."""
    days, page = [], 1
    while page:
        query = urllib.parse.urlencode({"year": year, "page": page})
        request = urllib.request.Request(
            settings.get("WEATHER_URL") + "/observations?" + query,
            headers={"Authorization": "Bearer " + settings.get("WEATHER_API_TOKEN")},
        )
        with urllib.request.urlopen(request, timeout=20) as response:
            answer = json.load(response, parse_float=Decimal, parse_int=Decimal)
        days += answer["items"]
        page = int(answer["next_page"] or 0)
    return days


def mean(values):
    values = list(values)
    return (sum(values) / len(values)).quantize(TENTH, ROUND_HALF_EVEN)


def figures(name, days):
    return {
        "month": name,
        "days": len(days),
        "precipitation_mm": sum(day["precipitation_mm"] for day in days),
        "wet_days": sum(day["precipitation_mm"] >= WET for day in days),
        "mean_max_c": mean(day["temp_max_c"] for day in days),
        "mean_min_c": mean(day["temp_min_c"] for day in days),
    }


def line(month):
    return "{month}: {precipitation_mm} mm on {wet_days} wet days, {mean_min_c} to {mean_max_c} C".format(**month)


year = int((inputs or {}).get("year", 2015))
observations = fetch(year)
print("fetched %d days of %d" % (len(observations), year))

months = []
for number, name in enumerate(MONTHS, start=1):
    days = [day for day in observations if day["date"][5:7] == "%02d" % number]
    if days:
        months.append(figures(name, days))

prompt = "Sum up the weather of Seattle in %d in two sentences, from these figures only:\n" % year
summary = llm.complete(prompt + "\n".join(line(month) for month in months))

set_result({
    "year": year,
    "days": len(observations),
    "precipitation_mm": sum(month["precipitation_mm"] for month in months),
    "months": months,
    "summary": summary,
})
