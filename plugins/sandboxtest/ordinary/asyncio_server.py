# serves and connects on loopback in asyncio
# except landlock: Scripts can't listen.
import asyncio


async def echo(reader, writer):
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"text\n")
        assert await reader.read() == b"TEXT\n"
        writer.close()


asyncio.run(main())
set_result("works")
