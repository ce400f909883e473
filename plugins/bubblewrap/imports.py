# Modules that a template imports before any box, in the sandbox of all of them. They are hidden in
# a box until its script, or a library, imports one. The box then gets the module with all that a
# first import brings, in the same order, and the import's other effects are repeated.
#
# For that, the template records the effects of each import. choose first tries, in processes of its
# own, whether repeating the record makes the same difference as an import. Scripts import the other
# modules themselves, and those that start a thread or leave a descriptor open.

TRIAL_SECONDS = 10  # of processor time, for all modules
MISSING = object()
BOOTSTRAP = sys.modules["_frozen_importlib"]
PATHS = sys.modules["_frozen_importlib_external"]

def restart_logging(module):
    module._startTime = time.time_ns() if isinstance(module._startTime, int) else time.time()


# Renews state that an import makes and that differs between two interpreters.
RENEWED = {
    "random": lambda module: module.seed(),
    "numpy.random.mtrand": lambda module: module._rand.__init__(),
    "multiprocessing.process": lambda module: setattr(module, "_current_process", type(module._current_process)()),
    "logging": restart_logging,
    "dateutil.parser._parser": lambda module: module.DEFAULTPARSER.info.__init__(),  # has the year
}


class Imports:
    """A finder of modules that the template has imported."""

    def __init__(self):
        self.modules = {}
        self.specs = {}
        # of each import: names of others, calls, and names put into sys.modules without an import
        self.steps = {}
        # modules imported after their parents, with the attributes that they replaced there
        self.late = {}
        self.given = set()  # those that the box has
        self.lock = _thread.allocate_lock()
        self.recording = False
        self.path = sys.path[1:]  # the first is the scripts' directory

    def find_spec(self, name, path=None, target=None):
        if name in self.given or name not in self.modules or not self.fits(name, path):
            return None
        spec = BOOTSTRAP.ModuleSpec(name, Given(self, name))
        vars(spec).update({**vars(self.specs[name] or spec), "loader": spec.loader})
        return spec

    def fits(self, name, path):
        """Tells whether an import would find this module and all that it brings."""
        brought = self.brought(name)
        for one in brought:
            replaced = sys.modules.get(one, self.modules[one]) is not self.modules[one]
            if replaced or one in self.given and one not in sys.modules:
                return False
        if path is not None and "." not in name:
            return True  # the runner asks with a path on which a script's files don't count
        try:
            first = sys.path.index(self.path[0])
        except ValueError:
            return False
        return sys.path[first : first + len(self.path)] == self.path and not self.hidden(brought, sys.path[:first])

    def brought(self, name):
        """Returns the names of a module and of those that its import imports."""
        found, waiting = set(), [name]
        while waiting:
            one = waiting.pop()
            if one in self.modules and one not in found:
                found.add(one)
                waiting.append(one.rpartition(".")[0])
                waiting.extend(step for step in self.steps[one] if isinstance(step, str))
        return found

    def hidden(self, names, folders):
        """Tells whether one of the names is in folders that come before the library."""
        for folder in folders:
            try:
                files = {file.partition(".")[0] for file in os.listdir(folder or ".")}
            except OSError:
                if os.path.exists(folder):
                    return True  # an archive, which may have any
                continue
            for name in files & names:
                spec = PATHS.PathFinder.find_spec(name, [folder])
                if spec is not None and spec.loader is not None:
                    return True
        return False

    def give(self, name):
        """Repeats the import of a module whose parents are imported."""
        order = []
        self.arrange(name, order, {name})
        self.commit(order)

    def arrange(self, name, order, seen):
        """Adds the effects of a module's import to order, and the module last, as it ends last."""
        for step in self.steps[name]:
            if isinstance(step, str):
                self.need(step, order, seen)
            elif len(step) == 1:
                order.append((step[0], None))
            else:
                order.append((name, step))
        order.append((name, None))

    def need(self, name, order, seen):
        if name in sys.modules or name in seen:
            return
        parent = name.rpartition(".")[0]
        if parent:
            self.need(parent, order, seen)
            if name in sys.modules or name in seen:
                return
        seen.add(name)
        if name not in self.modules or self.is_awaited(name):
            self.commit(order)
            order.clear()
            BOOTSTRAP._gcd_import(name)
        else:
            self.arrange(name, order, seen)

    def commit(self, order):
        """Carries order out once. Other threads see all of it or nothing."""
        with self.lock:
            whole = {}
            for name, call in order:
                if name in self.given:
                    continue
                if call is None:
                    whole[name] = self.modules[name]
                    self.complete(name)
                    continue
                deferred, function, arguments, named = call
                if not (deferred and self.recording):
                    function(*arguments, **named)
            sys.modules.update(whole)
            self.given.update(whole)

    def complete(self, name):
        parent, _, tail = name.rpartition(".")
        if name in self.late:
            setattr(self.modules.get(parent) or sys.modules[parent], tail, self.modules[name])
        if name in RENEWED and not self.recording:
            RENEWED[name](self.modules[name])

    def is_awaited(self, name):
        """Tells whether a finder before this one, as the runner's, waits for the module."""
        first = sys.meta_path.index(self) if self in sys.meta_path else None
        return any(name in getattr(finder, "waiting", (name,)) for finder in sys.meta_path[:first])


class Given:
    """The loader of one module that the template has imported."""

    def __init__(self, imports, name):
        self.imports = imports
        self.name = name

    def __getattr__(self, name):
        return getattr(self.imports.specs[self.name].loader, name)

    def create_module(self, spec):
        return self.imports.modules[self.name]

    def exec_module(self, module):
        self.imports.give(self.name)
        module.__spec__ = self.imports.specs[self.name]  # until now, other threads wait


class Recorder:
    """Imports modules into an Imports, and hides each again."""

    def __init__(self, imports, tries=False):
        self.imports = imports
        self.tries = tries
        self.states = {}  # of modules, once their package was imported
        self.changes = {}  # by import: names of earlier modules that it changed
        self.base = dict(sys.modules)
        self.stack = [("", [])]
        sys.meta_path.insert(0, imports)
        self.loads, self.imports_name = BOOTSTRAP._load_unlocked, builtins.__import__
        self.first = self.known = {}

    def record(self, names):
        functions = [(atexit, "register"), (codecs, "register"), (os, "register_at_fork")]
        originals = [getattr(module, name) for module, name in functions]
        self.imports.recording = True
        BOOTSTRAP._load_unlocked = self.load
        builtins.__import__ = self.follow
        for (module, name), original in zip(functions, originals):
            setattr(module, name, self.deferring(original))
        self.first, self.known = self.copies(), self.copies()
        try:
            for name in names:
                self.imports_name(name)
                self.hide()
                if self.tries:
                    self.compare_states(name)
        finally:
            for (module, name), original in zip(functions, originals):
                setattr(module, name, original)
            builtins.__import__ = self.imports_name
            BOOTSTRAP._load_unlocked = self.loads
            self.imports.recording = False

    def deferring(self, original):
        def register(*arguments, **named):
            if self.imports.recording:
                self.stack[-1][1].append((True, original, arguments, named))
                return arguments[0] if arguments else None
            return original(*arguments, **named)

        return register

    def load(self, spec):
        """Replaces the interpreter's loading of a module."""
        name = spec.name
        self.note(name)
        self.note_changes()
        if isinstance(spec.loader, Given):
            module = self.loads(spec)
            self.imports.given.update(sys.modules.keys() & self.imports.modules.keys())
            self.known = self.copies()
            return module
        self.forget()
        steps = []
        parent, _, tail = name.rpartition(".")
        if parent and all(parent != one for one, _ in self.stack):
            self.imports.late[name] = vars(sys.modules[parent]).get(tail, MISSING)
        self.stack.append((name, steps))
        try:
            module = self.loads(spec)
        except BaseException:
            self.end_load()
            self.fail(name, steps)
            raise
        self.end_load()
        self.keep(name, module, steps)
        if self.tries:
            self.remember_state(name)
        return module

    def remember_state(self, name):
        package = name.partition(".")[0]
        if all(package != one.partition(".")[0] for one, _ in self.stack):
            for one in self.imports.given - self.states.keys():
                if one.partition(".")[0] == package:
                    self.states[one] = state_of(one, self.imports.modules[one])

    def compare_states(self, name):
        for one, state in self.states.items():
            module = self.imports.modules[one]
            changed = {"%s.%s" % (module.__name__, key) for key, _ in set(state) ^ set(state_of(one, module))}
            # late modules come with their own imports; changes to the import system are put back
            if module not in (BOOTSTRAP, PATHS) and not changed <= self.imports.late.keys():
                self.changes.setdefault(name, []).append(one)
                self.states[one] = state_of(one, module)

    def forget(self):
        """Empties platform's cache, so that each module asks it anew."""
        platform = self.imports.modules.get("platform")
        if platform:
            platform._uname_cache = self.known["platform"]["_uname_cache"] = None

    def end_load(self):
        self.note_changes()
        self.stack.pop()

    def fail(self, name, steps):
        """Adds the effects of a failed import to its importer's."""
        self.imports.late.pop(name, None)
        current, own = self.stack[-1]
        own[:] = [step for step in own if step != name]
        own.extend(step for step in steps if step not in own and step != current)

    def keep(self, name, module, steps):
        self.imports.given.add(name)
        if name not in self.imports.modules:
            self.imports.modules[name] = module
            self.imports.specs[name] = getattr(module, "__spec__", None)
            self.imports.steps[name] = steps
            for key, registry in registries(self.imports.modules).items():
                if key not in self.first:
                    self.first[key] = self.known[key] = registry.copy()

    def follow(self, name, globals=None, locals=None, fromlist=(), level=0):
        """Replaces the import statement, to note modules that are imported already too."""
        result = self.imports_name(name, globals, locals, fromlist, level)
        if level:
            name = BOOTSTRAP._resolve_name(name, BOOTSTRAP._calc___package__(globals), level)
        self.note(name)
        for item in fromlist or ():
            for part in getattr(result, "__all__", ()) if item == "*" else (item,):
                full = "%s.%s" % (name, part)
                if full in sys.modules and getattr(result, part, None) is sys.modules[full]:
                    self.note(full)
        return result

    def note(self, name):
        current, steps = self.stack[-1]
        if name not in self.base and name != current and name not in steps:
            self.note_changes()
            steps.append(name)

    def note_changes(self):
        """Notes other changes since the last call, for the module that is being imported."""
        steps = self.stack[-1][1]
        for key, registry in registries(self.imports.modules).items():
            before = self.known[key]
            if registry != before:
                steps.extend((False, function, arguments, {}) for function, arguments in difference(registry, before))
                self.known[key] = registry.copy()
        loading = {name for name, _ in self.stack}
        if len(sys.modules) != len(self.base) + len(self.imports.given) + len(loading) - 1:
            for name in list(sys.modules):
                if name not in self.base and name not in self.imports.given and name not in loading:
                    self.keep(name, sys.modules[name], [])  # put there without an import
                    steps.append((name,))

    def hide(self):
        imports = self.imports
        for name in imports.modules:
            sys.modules.pop(name, None)
        for name, before in reversed(imports.late.items()):
            parent, _, tail = name.rpartition(".")
            attributes = vars(imports.modules.get(parent) or self.base[parent])
            if before is not MISSING:
                attributes[tail] = before
            else:
                attributes.pop(tail, None)
        for key, registry in registries(imports.modules).items():
            first = self.first[key]
            if isinstance(registry, list):
                registry[:] = first
                continue
            registry.update(first)
            for added in registry.keys() - first.keys():
                del registry[added]
        self.known = self.copies()
        imports.given.clear()

    def copies(self):
        return {key: registry.copy() for key, registry in registries(self.imports.modules).items()}


def registries(modules):
    """Returns the registries that modules add to when they are imported.

    Functions that they register elsewhere are recorded by Recorder.deferring.
    """
    found = {
        "import system": vars(BOOTSTRAP),
        "import paths": vars(PATHS),
        "pickling": sys.modules["copyreg"].dispatch_table,
        "warnings": _warnings.filters,
        "finders": sys.meta_path,
        "path hooks": sys.path_hooks,
        "ends of threads": threading._threading_atexits,
    }
    if "logging" in modules:
        found["loggers"] = modules["logging"].root.manager.loggerDict
    for name in ("mimetypes", "platform", "sysconfig"):  # these cache their answers
        if name in modules:
            found[name] = vars(modules[name])
    return found


def difference(now, before):
    """Yields the calls that change a registry from before to now."""
    if isinstance(now, dict):
        for key, value in now.items():
            if before.get(key, MISSING) is not value:
                yield now.__setitem__, (key, value)
        return
    if now[: len(before)] == before:
        yield now.extend, (now[len(before) :],)
        return
    for count in range(len(now) + 1):
        front = now[:count]
        if now[count:] == [item for item in before if item not in front]:
            yield put_first, (now, front)
            return


def put_first(items, front):
    items[:] = front + [item for item in items if item not in front]
    if items is _warnings.filters:
        getattr(_warnings, "_filters_mutated", int)()


def preload(names, tried):
    """Imports modules for all boxes. Returns their names, and why others were refused."""
    refused = {}
    if not tried:
        names, refused = choose(names)
    if names:
        Recorder(Imports()).record(names)
        if len(os.listdir("/proc/self/task")) != 1:
            raise OSError("an import started a thread, which no fork would have")
    return {"imports": names, "refused": refused}


def choose(names):
    """Returns the names whose import can be recorded, and why others can't."""
    refused = {}
    while names:
        found = in_child(lambda: compare(names))
        if found is None:
            return [], {**refused, **dict.fromkeys(names, "trying them took too long, or ended the process")}
        if not found:
            break
        refused.update(found)
        names = [name for name in names if name not in found]
    return names, refused


def compare(names):
    """Returns the names to be refused, with the reasons."""
    refused, fresh = {}, {}
    unrepeatable = "threads", "descriptors", "signals", "environment", "interpreter"
    nothing = survey(None)
    for name in names:
        fresh[name] = survey(name)
        if "error" in fresh[name]:
            refused[name] = fresh[name]["error"]
            continue
        changed = [key for key in unrepeatable if fresh[name][key] != nothing[key]]
        if changed:
            refused[name] = "its import changes " + ", ".join(changed)
    if refused:
        return refused
    recorder = Recorder(Imports(), tries=True)
    recorder.record(names)
    refused = {name: "its import changes " + ", ".join(changed) for name, changed in recorder.changes.items()}
    for name in names if not refused else ():
        given = survey(name)
        changed = [key for key, value in fresh[name].items() if given.get(key) != value]
        if changed:
            refused[name] = "an import of it can't be repeated: " + ", ".join(changed)
    return refused


def survey(name):
    return in_child(lambda: state_after(name)) or {"error": "its import ended the process"}


def state_after(name):
    """Returns the state of the interpreter after an import, as numbers to compare."""
    try:
        if name is not None:
            __import__(name)
    except BaseException as error:
        return {"error": "its import fails: %s: %s" % (type(error).__name__, str(error)[:200])}
    found = registries(sys.modules)
    lists = {key: list(map(str, items)) for key, items in found.items()}
    finders = [repr(type(finder)) for finder in found["finders"]]
    lists["finders"] = [finder for finder in finders if "Imports" not in finder]
    lists["ends of threads"] = len(lists["ends of threads"])
    interpreter = (sys.getrecursionlimit(), gc.isenabled(), gc.get_threshold(), sys.excepthook, sys.displayhook)
    return {
        **{key: hash(repr(value)) for key, value in lists.items()},
        "modules": hash(tuple(sys.modules)),
        "attributes": hash(tuple((name, state_of(name, module)) for name, module in sys.modules.items())),
        "exit handlers": atexit._ncallbacks(),
        "threads": len(os.listdir("/proc/self/task")),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "signals": hash(repr([_signal.getsignal(number) for number in _signal.valid_signals()])),
        "environment": hash(repr((dict(os.environ), os.getcwd(), sys.path, sys.argv))),
        "interpreter": hash(repr((interpreter, sorted(vars(builtins))))),
    }


def state_of(name, module):
    """Returns the attributes of a module, or nothing if they may differ between two imports."""
    if type(module) is not type(sys) or module.__spec__ is None or name in RENEWED:
        return ()
    return tuple(map(described, sorted(vars(module).items())))


def described(attribute):
    name, value = attribute
    is_address = name.endswith("_addr")  # of functions in ctypes
    constant = type(value) in (int, bool, str, bytes, type(None)) and not is_address
    return name, repr(value) if constant else type(value).__name__


def in_child(function):
    """Runs a function in a process of its own. Returns its result, or None if the process ends."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (TRIAL_SECONDS, TRIAL_SECONDS))
            with open(write, "w") as file:
                json.dump(function(), file)
        finally:
            os._exit(0)
    os.close(write)
    with open(read) as file:
        answer = file.read()
    os.waitpid(pid, 0)
    return json.loads(answer) if answer else None
