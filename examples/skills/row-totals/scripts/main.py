import io
import json
import os

import pandas

inputs = json.loads(os.environ["SANDBOX_INPUT"])
table = pandas.read_csv(io.StringIO(inputs["csv"]))
totals = table.groupby(inputs["by"], sort=True)[inputs["sum"]].sum().reset_index()

totals.to_csv(os.path.join(os.environ["SANDBOX_FILES_DIR"], "totals.csv"), index=False)
with open(os.environ["SANDBOX_OUTPUT"], "w") as output:
    json.dump({"rows": len(table), "totals": json.loads(totals.to_json(orient="records"))}, output)
