"""Prints its secret, plain and disguised, as a careless or hostile script does.

None of it may come back.

Needs the key WEATHER_API_TOKEN. No inputs.
"""

import base64
import sys

from airlock import set_result, settings

token = settings.get("WEATHER_API_TOKEN")
print("plain:", token)
print("base64:", base64.b64encode(b"user:" + token.encode()).decode())
print("hex:", token.encode().hex(), file=sys.stderr)
set_result({"token": token, token: "as a key"})
