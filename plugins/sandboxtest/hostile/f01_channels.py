# F01 puts its secret into every channel, as it is and in the usual encodings
# decided-by: redactor
import base64, json, urllib.parse
value = settings.get("INJECTED")
raw = value.encode()
print(value, "prefix" + value + "suffix", value, value)
for i in range(1, len(value)):
    os.write(1, raw[:i])
    os.write(1, raw[i:] + b"\n")
for pad in ("", "a", "ab", "user:"):
    joined = (pad + value + pad).encode()
    print(base64.b64encode(joined).decode(), base64.urlsafe_b64encode(joined).decode().rstrip("="))
print(raw.hex(), raw.hex().upper(), urllib.parse.quote(value, safe=""), "".join("%%%02x" % b for b in raw),
      json.dumps(value), repr(value), file=sys.stderr)
set_result({"value": value, value: 1, "list": [value, base64.b64encode(raw).decode()],
            "deep": {"x": {value + "-key": [value]}}})
