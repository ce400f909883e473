# asks a host for a repository with git, and trusts its certificate
# needs: git
import subprocess
out = subprocess.run(["git", "ls-remote", "https://echo.test/none.git"], capture_output=True, text=True)
# the host is no git server, so what it says is no list of branches; but it was reached
assert "certificate" not in out.stderr.lower() and "not valid" in out.stderr, out.stderr
set_result("works")
