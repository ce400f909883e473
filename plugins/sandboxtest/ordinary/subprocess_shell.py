# pipes through a shell, with input, errors and a time limit
# needs: sort, uniq, awk
import subprocess
pipe = "sort | uniq -c | awk '{print $2 $1}'"
for attempt in range(20):  # on landlock, sh may be unable to fork for a moment: see its page
    out = subprocess.run(pipe, shell=True, input="b\na\nb\n", capture_output=True, text=True)
    if "Cannot fork" not in out.stderr:
        break
assert (out.returncode, out.stdout, out.stderr) == (0, "a1\nb2\n", "")
failed = subprocess.run(["sh", "-c", "echo bad >&2; exit 3"], capture_output=True, text=True)
assert (failed.returncode, failed.stderr) == (3, "bad\n")
try:
    subprocess.run(["sleep", "20"], timeout=0.1)
    raise SystemExit("no timeout")
except subprocess.TimeoutExpired:
    pass
set_result("works")
