# filters text with perl, awk and sed
# needs: perl, awk, sed
import subprocess


def run(*command):
    return subprocess.run(command, input="a 1\nb 2\n", capture_output=True, text=True, check=True).stdout


assert run("awk", "{s += $2} END {print s}") == "3\n" and run("sed", "s/a/x/") == "x 1\nb 2\n"
assert run("perl", "-ne", "print uc") == "A 1\nB 2\n"
set_result("works")
