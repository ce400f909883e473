# packs and unpacks with tar, gzip and xz as programs
# needs: tar, gzip
import pathlib, subprocess
folder = pathlib.Path("folder")
folder.mkdir()
(folder / "a.txt").write_text("a" * 10_000)
subprocess.run(["tar", "czf", "folder.tgz", "folder"], check=True)
(folder / "a.txt").unlink()
subprocess.run(["tar", "xzf", "folder.tgz"], check=True)
assert (folder / "a.txt").read_text() == "a" * 10_000
subprocess.run(["gzip", "-k", "folder/a.txt"], check=True)
assert subprocess.run(["zcat", "folder/a.txt.gz"], capture_output=True, check=True).stdout == b"a" * 10_000
set_result("works")
