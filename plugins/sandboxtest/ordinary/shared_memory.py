# shares an array between processes
# except landlock: `/proc` and `/dev/shm`
from multiprocessing import Process
from multiprocessing.shared_memory import SharedMemory, ShareableList


def fill(name):
    block = SharedMemory(name=name)
    block.buf[:3] = b"abc"
    block.close()


if __name__ == "__main__":
    block = SharedMemory(create=True, size=100_000)
    process = Process(target=fill, args=(block.name,))
    process.start()
    process.join()
    assert bytes(block.buf[:3]) == b"abc" and process.exitcode == 0
    block.close()
    block.unlink()
    values = ShareableList([1, "two", 3.0])
    assert list(values) == [1, "two", 3.0]
    values.shm.close()
    values.shm.unlink()
    set_result("works")
