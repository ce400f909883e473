# reads and writes YAML
# needs: yaml
import yaml
data = {"jobs": [{"name": "é", "n": 1}], "when": None}
assert yaml.safe_load(yaml.safe_dump(data, allow_unicode=True)) == data
set_result("works")
