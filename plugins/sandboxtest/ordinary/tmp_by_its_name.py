# writes to /tmp under that name
# except landlock: `/tmp/x` is refused.
import pathlib
path = pathlib.Path("/tmp/report/a.txt")
path.parent.mkdir()
path.write_text("text")
assert [p.name for p in pathlib.Path("/tmp/report").iterdir()] == ["a.txt"]
path.unlink()
path.parent.rmdir()
set_result("works")
