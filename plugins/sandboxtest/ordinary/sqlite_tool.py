# queries with the sqlite3 shell
# needs: /usr/bin/sqlite3
import subprocess
sql = "CREATE TABLE t (n); INSERT INTO t VALUES (1), (2); SELECT sum(n) FROM t;"
assert subprocess.run(["sqlite3", "x.db", sql], capture_output=True, text=True, check=True).stdout == "3\n"
set_result("works")
