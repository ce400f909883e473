# sends many requests at once with aiohttp
# needs: aiohttp
import aiohttp, asyncio


async def main():
    async with aiohttp.ClientSession(headers={"Authorization": "Bearer " + settings.get("TOKEN")}) as session:

        async def get(n):
            async with session.get("https://echo.test/%d" % n) as answer:
                return (await answer.json(content_type=None))["path"]

        return await asyncio.gather(*map(get, range(20)))


assert asyncio.run(main()) == ["/%d" % n for n in range(20)]
set_result("works")
