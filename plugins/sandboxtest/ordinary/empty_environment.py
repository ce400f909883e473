# fetches in programs without an environment: curl, Python, openssl, git
# needs: curl, openssl, git
# except landlock: Programs that get an empty environment
# except docker: Programs that get an empty environment
import subprocess, sys


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, input="", env={"PATH": "/usr/bin:/bin"})


code = """import json, urllib.request
print(json.load(urllib.request.urlopen('https://echo.test/bare', timeout=20))['path'])"""
assert run(sys.executable, "-c", code).stdout == "/bare\n"
assert run("curl", "-sSf", "--max-time", "20", "https://echo.test/").returncode == 0
assert "code: 0 (ok)" in run("openssl", "s_client", "-connect", "echo.test:443", "-servername", "echo.test").stdout
assert "not valid" in run("git", "ls-remote", "https://echo.test/none.git").stderr
set_result("works")
