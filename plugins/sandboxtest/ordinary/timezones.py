# converts times between zones, over a change to summer time
# needs: /usr/share/zoneinfo
import os, time
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones
berlin = ZoneInfo("Europe/Berlin")
before = datetime(2026, 3, 29, 1, 30, tzinfo=berlin)
assert before.utcoffset() == timedelta(hours=1) and (before + timedelta(hours=2)).utcoffset() == timedelta(hours=2)
assert before.astimezone(ZoneInfo("America/New_York")).isoformat() == "2026-03-28T20:30:00-04:00"
assert len(available_timezones()) > 400
os.environ["TZ"] = "Asia/Tokyo"
time.tzset()
assert time.strftime("%H:%M %Z", time.localtime(0)) == "09:00 JST"
set_result("works")
