# verifies a host with openssl s_client
# needs: openssl
import subprocess
command = ["openssl", "s_client", "-connect", "echo.test:443", "-servername", "echo.test", "-verify_return_error"]
out = subprocess.run(command, input="", capture_output=True, text=True)
assert "Verify return code: 0 (ok)" in out.stdout, (out.stdout[-500:], out.stderr[-500:])
set_result("works")
