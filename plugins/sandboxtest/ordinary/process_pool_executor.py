# computes with ProcessPoolExecutor, and gets an exception back
# except landlock: `multiprocessing` locks, queues, pools and managers don't work.
from concurrent.futures import ProcessPoolExecutor


def invert(n):
    return 1 / n


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(invert, [1, 2, 4])) == [1.0, 0.5, 0.25]
        assert isinstance(pool.submit(invert, 0).exception(), ZeroDivisionError)
    set_result("works")
