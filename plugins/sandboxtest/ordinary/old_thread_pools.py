# computes in the thread pool of multiprocessing
# except landlock: `multiprocessing` locks, queues, pools and managers don't work.
from multiprocessing.pool import ThreadPool
with ThreadPool(4) as pool:
    assert pool.map(abs, range(-5, 5)) == [5, 4, 3, 2, 1, 0, 1, 2, 3, 4]
set_result("works")
