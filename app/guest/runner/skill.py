# Runs a skill: unpacks its files read-only, sets its environment, runs its entrypoint and takes its
# result.
import io
import json


def unpack(packed, root):
    """Writes the skill's files, and returns the header before them."""
    if packed:  # small skills come with the message
        packed = io.BytesIO(binascii.a2b_base64(packed))
    else:
        packed = open(os.path.join(os.environ["AIRLOCK_FILES"], "airlock-skill"), "rb")
    with packed:
        head = json.loads(packed.readline())
        for name, executable, size in head["files"]:
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(packed.read(size))
            os.chmod(path, 0o500 if executable else 0o400)
    for folder, _, _ in os.walk(root, topdown=False):
        os.chmod(folder, 0o500)
    return head


def launch(skill):
    home = os.getcwd()
    root, output = os.path.join(home, "skill"), os.path.join(home, "output.json")
    os.makedirs(root)
    head = unpack(skill.get("packed"), root)
    os.environ.update(
        SANDBOX_INPUT=head["input"],
        SANDBOX_OUTPUT=output,
        SANDBOX_FILES_DIR=os.environ["AIRLOCK_OUT"],
        SKILL_INSTRUCTIONS=head["instructions"],
    )
    FOLDERS.append(os.path.join(root, ""))
    LANGUAGES[skill["language"]](os.path.join(root, skill["entrypoint"]))
    if os.path.exists(output):
        with open(output, encoding="utf-8") as file:
            text = file.read()
        try:
            result = json.loads(text)
        except ValueError as error:
            sys.exit("the skill wrote no JSON to SANDBOX_OUTPUT: %s" % error)
        set_result(result)


def run_python(path):
    sys.argv[:] = [path]
    sys.path[0] = os.path.dirname(path)
    main = sys.modules["__main__"]
    main.__file__ = path
    with open(path, "rb") as file:
        source = file.read()
    exec(compile(source, path, "exec", dont_inherit=True), main.__dict__)


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
        _thread.start_new_thread(answer, (link,))


def offer_command(home):
    """Offers settings, questions and the result to other programs, as the command airlock."""
    import socket

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
    _thread.start_new_thread(serve, (server,))
    os.environ["PATH"] = folder + os.pathsep + os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin")
    os.environ["AIRLOCK_SOCKET"] = os.path.join(home, "airlock.sock")


def run_program(program, path):
    if program is None:
        sys.exit("this sandbox has no Node.js, which the skill needs; "
            "ask the operator to add it, or use another backend")
    import subprocess

    offer_command(os.getcwd())
    code = subprocess.call([program, path])
    if code:
        how = "exit code %d" % code if code > 0 else "signal %d" % -code
        sys.exit("%s ended with %s; see stderr" % (os.path.basename(path), how))


def run_shell(path):
    import shutil

    run_program(shutil.which("bash") or "/bin/sh", path)


def run_node(path):
    import shutil

    run_program(shutil.which("node"), path)


LANGUAGES = {"python": run_python, "shell": run_shell, "node": run_node}
