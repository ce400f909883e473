# runs tasks with timeouts, queues and a subprocess in asyncio
import asyncio


async def main():
    queue = asyncio.Queue()

    async def produce():
        for n in range(5):
            await queue.put(n)
            await asyncio.sleep(0)

    await asyncio.gather(produce(), produce())
    assert sorted(queue.get_nowait() for _ in range(10)) == sorted(list(range(5)) * 2)
    try:
        await asyncio.wait_for(asyncio.sleep(30), 0.05)
        raise SystemExit("no timeout")
    except asyncio.TimeoutError:
        pass
    process = await asyncio.create_subprocess_exec("cat", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    assert (await process.communicate(b"text"))[0] == b"text"
    assert await asyncio.to_thread(len, "four") == 4


asyncio.run(main())
set_result("works")
