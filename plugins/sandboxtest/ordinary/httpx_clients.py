# sends requests with httpx, one by one and many at once
# needs: httpx
import asyncio, httpx
headers = {"Authorization": "Bearer " + settings.get("TOKEN")}
with httpx.Client(headers=headers) as client:
    assert client.get("https://echo.test/x").json()["path"] == "/x"


async def many():
    async with httpx.AsyncClient(headers=headers, timeout=30) as client:
        answers = await asyncio.gather(*[client.get("https://echo.test/%d" % n) for n in range(20)])
    return [a.json()["path"] for a in answers]


assert asyncio.run(many()) == ["/%d" % n for n in range(20)]
set_result("works")
