# fetches with wget, which has no variable for its roots
# needs: wget
# except landlock: wget and Java trust the system's roots alone
# except docker: wget and Java trust the system's roots alone
import json, subprocess
command = ["wget", "-q", "-T", "20", "-t", "1", "-O", "-", "--header",
           "Authorization: Bearer " + settings.get("TOKEN"), "https://echo.test/w"]
out = subprocess.run(command, capture_output=True)
assert out.returncode == 0 and json.loads(out.stdout)["path"] == "/w", out
set_result("works")
