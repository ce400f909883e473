# Loads parts of the runner late. Each script gets a new box, so the time until its interpreter is
# ready counts. By then it has compiled and imported only what every script needs. The rest follows
# when it is needed, or while the box waits for its script.
import marshal
import sys


class Part:
    """A part of the runner that is loaded when it is first needed.

    It has functions and constants only, so two threads may load it at once.
    """

    compiled = False

    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        self.compile()
        return globals()[name]

    def compile(self):
        if not self.compiled:
            exec(marshal.loads(self.code()), globals())
            self.compiled = True

    def code(self):
        """Returns the part's bytecode, from another interpreter of this kind if possible."""
        return CODE.get(self.name) or marshal.dumps(compile(PARTS[self.name], "<airlock>", "exec"))


failure = Part("failure")
foreign = Part("foreign")
skill = Part("skill")


# Modules that the runner needs sooner or later, with their imports. A script's own files never
# replace them, so that it can't notice which were imported before it began.
STANDARD = frozenset(
    "_weakrefset collections contextlib copyreg datetime decimal enum functools json keyword linecache numbers "
    "operator re reprlib sre_compile sre_constants sre_parse textwrap threading token tokenize traceback types "
    "warnings".split()
)


class Changes:
    """Changes modules as soon as they have been imported.

    It finds them through the finders after it, and STANDARD in the interpreter's own directories.
    """

    def __init__(self):
        self.library = sys.path[1:]  # the first is the working directory
        self.waiting = {}
        sys.meta_path.insert(0, self)

    def add(self, name, change):
        """Calls change with the module, now or when somebody imports it."""
        if name in sys.modules:
            change(sys.modules[name])
        else:
            self.waiting[name] = change

    def find_spec(self, name, path=None, target=None):
        change = self.waiting.pop(name, None)
        if change is None and name not in STANDARD:
            return None
        if name in STANDARD:
            path = self.library
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self else None
            if spec is not None:
                if change is not None:
                    self.follow(spec.loader, change)
                return spec
        return None

    def follow(self, loader, change):
        execute = loader.exec_module

        def exec_module(module):
            execute(module)
            change(module)

        loader.exec_module = exec_module
