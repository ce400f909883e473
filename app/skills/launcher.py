# Runs a skill: unpacks its files read-only, gives it its environment, runs its entrypoint and takes its result.
import json
import os
import runpy
import shutil
import socket
import subprocess
import sys
import tarfile
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


def unpack(root):
    with tarfile.open(os.path.join(os.environ["AIRLOCK_FILES"], "airlock-skill.tar")) as archive:
        for member in archive:
            path = os.path.join(root, member.name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                shutil.copyfileobj(archive.extractfile(member), file)
            os.chmod(path, 0o500 if member.mode & 0o100 else 0o400)
    for folder, _, _ in os.walk(root, topdown=False):
        os.chmod(folder, 0o500)


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


def launch(entrypoint, language, instructions):
    home = os.getcwd()
    root, output = os.path.join(home, "skill"), os.path.join(home, "output.json")
    os.makedirs(root)
    unpack(root)
    os.environ.update(
        SANDBOX_INPUT=json.dumps({} if inputs is None else inputs, ensure_ascii=False),
        SANDBOX_OUTPUT=output,
        SANDBOX_FILES_DIR=os.environ["AIRLOCK_OUT"],
        SKILL_INSTRUCTIONS=instructions,
    )
    path = os.path.join(root, entrypoint)
    if language == "python":
        sys.argv[:] = [path]
        sys.path[0] = os.path.dirname(path)
        runpy.run_path(path, run_name="__main__")
    else:
        program = shutil.which("bash") or "/bin/sh" if language == "shell" else shutil.which("node")
        if program is None:
            sys.exit("this sandbox has no Node.js, which the skill needs; ask the operator to add it, or use another backend")
        if len(os.environ["SANDBOX_INPUT"].encode()) >= 128 << 10:
            sys.exit("the inputs are larger than 128 KiB, which a shell or Node program can't get; send a file instead")
        offer_command(home)
        code = subprocess.call([program, path])
        if code:
            sys.exit(code if code > 0 else 128 - code)
    if os.path.exists(output):
        with open(output, encoding="utf-8") as file:
            text = file.read()
        try:
            result = json.loads(text)
        except ValueError as error:
            sys.exit("the skill wrote no JSON to SANDBOX_OUTPUT: %s" % error)
        set_result(result)


