# writes a module and a package and imports them
import importlib, os, sys
os.makedirs("package/inner")
open("package/__init__.py", "w").close()
open("package/inner/__init__.py", "w").write("from package.helper import double\n")
open("package/helper.py", "w").write("def double(n):\n    return 2 * n\n")
from package.inner import double
assert double(4) == 8
open("late.py", "w").write("value = 1\n")
assert importlib.import_module("late").value == 1 and sys.modules["late"].__file__.endswith("late.py")
set_result("works")
