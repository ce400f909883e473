# copies, walks, links, locks and watches files
import fcntl, filecmp, glob, mmap, os, pathlib, shutil
root = pathlib.Path("tree/a/b")
root.mkdir(parents=True)
(root / "x.txt").write_text("x" * 5000)
os.symlink("x.txt", root / "link")
os.link(root / "x.txt", root / "hard")
shutil.copytree("tree", "copy")
assert filecmp.cmp("tree/a/b/x.txt", "copy/a/b/x.txt")
assert sorted(glob.glob("copy/**/*.txt", recursive=True)) == ["copy/a/b/x.txt"]
with open("copy/a/b/x.txt", "r+b") as f:
    fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with mmap.mmap(f.fileno(), 0) as m:
        m[:5] = b"12345"
assert (pathlib.Path("copy/a/b/x.txt")).read_text().startswith("12345x")
os.chmod("copy/a/b/x.txt", 0o640)
os.utime("copy/a/b/x.txt", (1, 1))
os.replace("copy/a/b/x.txt", "moved")
assert os.stat("moved").st_mtime == 1 and shutil.disk_usage(".").free > 0
shutil.rmtree("copy")
set_result("works")
