# F20 uses the sealed value, and then looks for it wherever a script can look
# hosts: echo.test
# restricted: its own environment in /proc can't be read
# timeout: 30
import gc, re, urllib.request
key = settings["SEALED"]
def ask(**headers):
    return urllib.request.urlopen(urllib.request.Request("https://echo.test/", headers=headers), timeout=10)
with ask(Authorization="Bearer " + key) as answer:
    body = answer.read().decode()
    if key not in body or key not in str(answer.headers):
        breach("the reflected value did not become the placeholder again: %s" % body)
# The test outside knows the value and searches all output before it is redacted, and thus the
# host's answers in this process's memory. Here, anything that follows "Bearer " and isn't the
# placeholder is suspicious.
def suspicious(text):
    return [m for m in re.findall(r"Bearer ([!-~]{16,})", text) if not m.startswith(key)]
found = suspicious(body)
for path in ("/proc/self/environ", "/proc/self/cmdline"):
    if RESTRICTED:
        refused(path, lambda: open(path).read())
    else:
        found += suspicious(open(path, errors="replace").read())
for thing in gc.get_objects():
    if isinstance(thing, dict):
        found += [v for v in thing.values() if isinstance(v, str) and suspicious(v)]
if found:
    breach("found %r" % found)
set_result("held")
