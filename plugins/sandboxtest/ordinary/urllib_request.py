# sends requests with urllib and http.client
import http.client, json, urllib.parse, urllib.request
request = urllib.request.Request("https://echo.test/z?" + urllib.parse.urlencode({"q": "a b"}),
                                 headers={"Authorization": "Bearer " + settings.get("TOKEN")})
with urllib.request.urlopen(request, timeout=20) as answer:
    assert json.load(answer)["query"] == "q=a+b"
connection = http.client.HTTPSConnection("echo.test", timeout=20)
for n in range(2):
    connection.request("PUT", "/%d" % n, body=b"abc")
    assert json.load(connection.getresponse())["method"] == "PUT"
set_result("works")
