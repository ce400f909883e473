# runs work of asyncio in a pool of processes
# except landlock: `multiprocessing` locks, queues, pools and managers don't work.
import asyncio
from concurrent.futures import ProcessPoolExecutor


def work(n):
    return n + 1


async def main():
    with ProcessPoolExecutor(2) as pool:
        return await asyncio.gather(*[asyncio.get_running_loop().run_in_executor(pool, work, n) for n in range(4)])


if __name__ == "__main__":
    assert asyncio.run(main()) == [1, 2, 3, 4]
    set_result("works")
