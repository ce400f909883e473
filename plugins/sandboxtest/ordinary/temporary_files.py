# makes temporary files and directories, and leaves none
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as f:
        f.write(b"x" * 1000)
    assert os.path.getsize(f.name) == 1000
assert not os.path.exists(folder)
with tempfile.TemporaryFile() as f, tempfile.SpooledTemporaryFile(max_size=10) as spooled:
    for one in (f, spooled):
        one.write(b"y" * 100)
        one.seek(0)
        assert len(one.read()) == 100
fd, name = tempfile.mkstemp(suffix=".txt")
os.close(fd)
os.remove(name)
set_result("works")
