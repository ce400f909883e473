# commits, branches and merges in a git repository
# needs: git
import os, subprocess


def git(*args):
    return subprocess.run(["git", *args], check=True, capture_output=True, text=True, cwd="repository").stdout.strip()


os.mkdir("repository")
git("init", "-q", "-b", "main")
git("config", "user.name", "A")
git("config", "user.email", "a@example.com")
for name in ("main", "other"):
    if name != "main":
        git("checkout", "-q", "-b", name)
    open("repository/%s.txt" % name, "w").write(name)
    git("add", ".")
    git("commit", "-q", "-m", name)
git("checkout", "-q", "main")
git("merge", "-q", "--no-ff", "-m", "merge", "other")
assert git("log", "--format=%s") .splitlines()[0] == "merge" and git("status", "--short") == ""
git("clone", "-q", ".", "../clone")
assert sorted(os.listdir("clone")) == [".git", "main.txt", "other.txt"]
set_result("works")
