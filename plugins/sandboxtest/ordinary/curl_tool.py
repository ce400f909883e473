# fetches with curl
# needs: curl
import json, subprocess
command = ["curl", "-sSf", "--max-time", "20", "-H", "Authorization: Bearer " + settings.get("TOKEN"),
           "https://echo.test/c"]
assert json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["path"] == "/c"
subprocess.run(["curl", "-sSf", "-o", "file", "http://allowed.test:8080/"], check=True)
assert open("file").read().startswith("hello")
set_result("works")
