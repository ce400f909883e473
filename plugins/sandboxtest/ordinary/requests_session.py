# keeps a requests session with a sealed header to a TLS host
# needs: requests
import requests
with requests.Session() as session:
    session.headers["Authorization"] = "Bearer " + settings.get("TOKEN")
    for n in range(3):
        answer = session.post("https://echo.test/path", params={"n": n}, json={"a": [n]}, timeout=20)
        answer.raise_for_status()
        assert answer.json()["query"] == "n=%d" % n and answer.json()["method"] == "POST"
    assert session.get("http://allowed.test:8080/", timeout=20).text.startswith("hello")
set_result("works")
