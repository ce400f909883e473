# computes in a pool of threads
from concurrent.futures import ThreadPoolExecutor, as_completed
with ThreadPoolExecutor(8) as pool:
    squares = [pool.submit(pow, n, 2) for n in range(20)]
    assert sorted(f.result() for f in as_completed(squares)) == [n * n for n in range(20)]
set_result("works")
