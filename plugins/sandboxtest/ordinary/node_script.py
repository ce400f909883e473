# runs JavaScript in node
# needs: node
import json, subprocess
code = """let s = ''; process.stdin.on('data', d => s += d).on('end', () =>
    console.log(JSON.stringify(JSON.parse(s).map(n => n * 2))))"""
out = subprocess.run(["node", "-e", code], input=json.dumps([1, 2]), capture_output=True, text=True)
assert json.loads(out.stdout) == [2, 4], out
set_result("works")
