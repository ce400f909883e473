# Runs a skill's program that is not Python, which has the command airlock.
import shutil
import socket
import subprocess
import threading

COMMAND = '''import json, os, socket, sys
args = sys.argv[1:]
usage = "usage: airlock setting NAME | airlock result FILE|- | airlock ask PROMPT"
if len(args) != 2 or args[0] not in ("setting", "result", "ask"):
    sys.exit(usage)
value = args[1]
if args[0] == "result":
    value = sys.stdin.read() if value == "-" else open(value).read()
with socket.socket(socket.AF_UNIX) as link:
    link.connect(os.environ["AIRLOCK_SOCKET"])
    link.sendall(json.dumps([args[0], value]).encode())
    link.shutdown(socket.SHUT_WR)
    answer = json.loads(b"".join(iter(lambda: link.recv(65536), b"")))
if answer[1]:
    sys.exit(answer[1])
if answer[0]:
    print(answer[0])
'''


def answer(link):
    try:
        what, value = json.loads(b"".join(iter(lambda: link.recv(65536), b"")))
        if what == "setting":
            reply = [settings.get(value), ""]
        elif what == "ask":
            reply = [llm.complete(value), ""]
        else:
            set_result(json.loads(value))
            reply = ["", ""]
    except Exception as error:
        reply = ["", "airlock: %s: %s" % (type(error).__name__, error)]
    with link:
        link.sendall(json.dumps(reply).encode())


def serve(server):
    while True:
        link, _ = server.accept()
        threading.Thread(target=answer, args=(link,), daemon=True).start()


def offer_command(home):
    """Offers settings, questions and the result to programs that are not Python, as the command airlock."""
    folder = os.path.join(home, "bin")
    os.makedirs(folder)
    with open(os.path.join(folder, "airlock.py"), "w") as file:
        file.write(COMMAND)
    with open(os.path.join(folder, "airlock"), "w") as file:
        file.write('#!/bin/sh\nexec "%s" "%s/airlock.py" "$@"\n' % (sys.executable, folder))
    os.chmod(os.path.join(folder, "airlock"), 0o700)
    server = socket.socket(socket.AF_UNIX)
    server.bind(os.path.join(home, "airlock.sock"))
    server.listen(16)
    threading.Thread(target=serve, args=(server,), daemon=True).start()
    os.environ["PATH"] = folder + os.pathsep + os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin")
    os.environ["AIRLOCK_SOCKET"] = os.path.join(home, "airlock.sock")


def run_program(program, path):
    if program is None:
        sys.exit("this sandbox has no Node.js, which the skill needs; ask the operator to add it, or use another backend")
    offer_command(os.getcwd())
    code = subprocess.call([program, path])
    if code:
        sys.exit(code if code > 0 else 128 - code)


def run_shell(path):
    run_program(shutil.which("bash") or "/bin/sh", path)


def run_node(path):
    run_program(shutil.which("node"), path)
