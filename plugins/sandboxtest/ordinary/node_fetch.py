# fetches in node, which may have roots of its own built in
# needs: node
import json, subprocess
code = """require('https').get('https://echo.test/node', r => {
    let s = ''; r.on('data', d => s += d).on('end', () => console.log(s)) })"""
out = subprocess.run(["node", "-e", code], capture_output=True, text=True)
assert out.returncode == 0 and json.loads(out.stdout)["path"] == "/node", out
set_result("works")
