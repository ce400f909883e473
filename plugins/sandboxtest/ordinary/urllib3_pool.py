# sends requests through a urllib3 pool with retries and certifi's roots
# needs: urllib3, certifi
import certifi, json, urllib3
pool = urllib3.PoolManager(ca_certs=certifi.where(), retries=urllib3.Retry(2))
answer = pool.request("GET", "https://echo.test/y", headers={"Authorization": "Bearer " + settings.get("TOKEN")})
assert answer.status == 200 and json.loads(answer.data)["path"] == "/y"
set_result("works")
