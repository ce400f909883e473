# Processes that multiprocessing starts anew (spawn, forkserver, not fork): they import the script from its file, and know nothing of what this process has.
import os

FIRST_PROCESS_ONLY = "Airlock can be used in the script's first process only, not in one made by fork or multiprocessing"

# CHILD runs in the new process before it imports the script, whose first lines may use any of our names.
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
    """Writes the script where its children, inspect and open(__file__) look for it. Without room it runs all the same."""
    try:
        with open(SCRIPT, "x", encoding="utf-8", newline="") as file:
            file.write(source)
    except (OSError, ValueError):
        pass


def prepare_children(changes, start):
    """Arranges that new processes find the script wherever this one has gone to, and have Airlock's names."""
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
            if name == "ignore":  # of the fork server itself, which gets no names: its children import the script
                data.pop("init_main_from_path", None)
            return data

        spawn.get_preparation_data = get_preparation_data

    changes.add("multiprocessing.spawn", change)
