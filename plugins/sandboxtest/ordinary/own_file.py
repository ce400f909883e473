# reads its own text, and starts itself as another program
import inspect, pathlib, subprocess, sys


def double(n):
    return 2 * n


if len(sys.argv) > 1:
    print(double(int(sys.argv[1])))
    sys.exit()
assert "def double" in pathlib.Path(__file__).read_text() and inspect.getsource(double).startswith("def double")
assert subprocess.run([sys.executable, __file__, "21"], capture_output=True, text=True, check=True).stdout == "42\n"
set_result("works")
