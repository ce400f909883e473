# computes with dates: dateutil, calendar, pytz
# needs: dateutil, pytz
import calendar, pytz
from datetime import datetime, timezone
from dateutil import parser, relativedelta, tz
assert parser.parse("2 Jan 2026 10:00 CET", tzinfos={"CET": 3600}).astimezone(timezone.utc).hour == 9
assert datetime(2026, 1, 31) + relativedelta.relativedelta(months=1) == datetime(2026, 2, 28)
assert pytz.timezone("Europe/Paris").localize(datetime(2026, 7, 1)).utcoffset().seconds == 7200
assert tz.gettz("America/New_York") and calendar.monthrange(2028, 2)[1] == 29
set_result("works")
