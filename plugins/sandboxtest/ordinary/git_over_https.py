# asks a host for a repository with git, and trusts its certificate
# needs: git
import subprocess
out = subprocess.run(["git", "ls-remote", "https://echo.test/none.git"], capture_output=True, text=True)
# the host isn't a git server: it answers, but not with a list of branches
assert "certificate" not in out.stderr.lower() and "not valid" in out.stderr, out.stderr
set_result("works")
