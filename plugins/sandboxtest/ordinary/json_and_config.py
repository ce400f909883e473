# reads and writes JSON, INI and, where Python has it, TOML
import configparser, io, json, sys
data = {"a": [1, 2.5, None, True, "ü"], "nested": {"x": {}}}
assert json.loads(json.dumps(data, indent=2, ensure_ascii=False)) == data
config = configparser.ConfigParser()
config.read_string("[db]\nhost = db.test\nport = 5432\n")
assert config.getint("db", "port") == 5432
config.write(io.StringIO())
if sys.version_info >= (3, 11):
    import tomllib
    assert tomllib.loads('[a]\nb = 2026-01-02')["a"]["b"].isoformat() == "2026-01-02"
set_result("works")
