# Prepares processes that multiprocessing starts anew (spawn and forkserver, not fork).
# They import the script from its file and share nothing with this process.
import os

FIRST_PROCESS_ONLY = (
    "Airlock can be used in the script's first process only, not in one made by fork or multiprocessing"
)

# CHILD runs in the new process before it imports the script, which may use our names at once.
CHILD = """
import json, sys

def refuse(*args, **kwargs):
    raise OSError(MESSAGE)

class ResultError(ValueError):
    pass

class Nowhere:
    send = receive = refuse

parse, result_json = json.loads, refuse
exec(SDK)
exec(PROCESSORS)
install(Nowhere, START)
count_one()
"""


def write_script(source):
    """Writes the script where its children, inspect and open(__file__) look for it.

    The script runs even if there is no room for the file.
    """
    try:
        with open(SCRIPT, "x", encoding="utf-8", newline="") as file:
            file.write(source)
    except (OSError, ValueError):
        pass


def prepare_children(changes, start):
    """Lets new processes find the script from any working directory, and gives them our names."""
    path = os.path.join(os.getcwd(), SCRIPT)
    names = {key: start.get(key) for key in ("settings", "inputs", "max_result", "files")}
    given = {"MESSAGE": FIRST_PROCESS_ONLY, "SDK": PARTS["sdk"], "PROCESSORS": PARTS["processors"], "START": names}

    class Names:
        def __reduce__(self):
            return exec, (CHILD, given)

    def change(spawn):
        original = spawn.get_preparation_data

        def get_preparation_data(name):
            data = original(name)
            if sys.modules["__main__"].__dict__.get("__file__") == SCRIPT and "init_main_from_path" in data:
                data["init_main_from_path"] = path
            data["airlock"] = Names()
            if name == "ignore":  # the fork server itself: only its children import the script
                data.pop("init_main_from_path", None)
            return data

        spawn.get_preparation_data = get_preparation_data

    changes.add("multiprocessing.spawn", change)
