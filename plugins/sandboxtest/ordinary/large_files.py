# writes, sorts and reads a file of 20 MB in bounded memory
import heapq, os
with open("numbers", "w") as f:
    for n in range(2_000_000):
        f.write("%09d\n" % (n * 7919 % 2_000_003))
assert os.path.getsize("numbers") == 20_000_000
with open("numbers") as f:
    assert heapq.nsmallest(2, map(int, f)) == [0, 1]
os.truncate("numbers", 10)
assert open("numbers").read() == "000000000\n"
set_result("works")
