# Runs a skill: unpacks its files read-only, gives it its environment, runs its entrypoint and takes its result.
import binascii
import io
import json
import os
import sys


def unpack(root):
    """Writes the files, and returns what stands before them."""
    if "PACKED" in globals():  # small ones come with this
        packed = io.BytesIO(binascii.a2b_base64(PACKED))
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


def run_python(path):
    sys.argv[:] = [path]
    sys.path[0] = os.path.dirname(path)
    main = type(sys)("__main__")
    main.__file__ = path
    main.__builtins__ = __builtins__
    sys.modules["__main__"] = main
    with open(path, "rb") as file:
        source = file.read()
    exec(compile(source, path, "exec"), main.__dict__)


def launch(entrypoint, run):
    home = os.getcwd()
    root, output = os.path.join(home, "skill"), os.path.join(home, "output.json")
    os.makedirs(root)
    head = unpack(root)
    os.environ.update(
        SANDBOX_INPUT=head["input"],
        SANDBOX_OUTPUT=output,
        SANDBOX_FILES_DIR=os.environ["AIRLOCK_OUT"],
        SKILL_INSTRUCTIONS=head["instructions"],
    )
    run(os.path.join(root, entrypoint))
    if os.path.exists(output):
        with open(output, encoding="utf-8") as file:
            text = file.read()
        try:
            result = json.loads(text)
        except ValueError as error:
            sys.exit("the skill wrote no JSON to SANDBOX_OUTPUT: %s" % error)
        set_result(result)
