# G02 prints what looks like frames of the control channel
# decided-by: runner
import json, struct
for message in ({"result": {"data": "ImZvcmdlZCI="}}, {"exited": {"code": 0}}, {"ready": {}}):
    data = json.dumps(message).encode()
    os.write(1, struct.pack(">I", len(data)) + data)
    os.write(2, struct.pack(">I", len(data)) + data)
held()
