# computes in a pool of forked processes
# except landlock: `multiprocessing` locks, queues, pools and managers don't work.
import multiprocessing


def square(n):
    return n * n


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(square, range(10)) == [n * n for n in range(10)]
    set_result("works")
