# parses arguments, captures output and reads an empty stdin
import argparse, contextlib, io, sys
parser = argparse.ArgumentParser()
parser.add_argument("--n", type=int, default=3)
assert parser.parse_args([]).n == 3 and parser.parse_args(["--n", "4"]).n == 4
with contextlib.redirect_stdout(io.StringIO()) as out:
    print("captured")
assert out.getvalue() == "captured\n" and sys.stdin.read() == ""
print("ü", file=sys.stderr)
sys.stdout.buffer.write(b"bytes\n")
set_result("works")
