# verifies a host by certifi's own roots
# needs: certifi
import certifi, json, ssl, urllib.request
context = ssl.create_default_context(cafile=certifi.where())
assert json.load(urllib.request.urlopen("https://echo.test/certifi", context=context, timeout=20))["path"] == "/certifi"
assert "BEGIN CERTIFICATE" in certifi.contents()
set_result("works")
