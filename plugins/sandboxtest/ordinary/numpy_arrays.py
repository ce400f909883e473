# computes with numpy: linear algebra, random numbers, files
# needs: numpy
import numpy as np
a = np.arange(12, dtype=float).reshape(3, 4)
assert (a @ a.T).shape == (3, 3) and np.allclose(np.linalg.svd(a)[1][0] ** 2, max(np.linalg.eigvalsh(a @ a.T)))
assert np.random.default_rng(7).integers(0, 100, 3).tolist() == np.random.default_rng(7).integers(0, 100, 3).tolist()
np.savez_compressed("a.npz", a=a)
assert (np.load("a.npz")["a"] == a).all()
mapped = np.memmap("m.bin", dtype="int32", mode="w+", shape=(1000,))
mapped[:] = 7
mapped.flush()
assert np.fromfile("m.bin", dtype="int32").sum() == 7000
set_result("works")
