"""Looks for secrets in files, knowing nothing of how Airlock masks them.

usage: detect.py SECRETS_FILE FILE...
The first file has one secret a line. Prints what it finds; exit status 1 if anything was found.
"""
import base64
import html
import json
import re
import sys
import urllib.parse


def spellings(secret):
    raw = secret.encode()
    yield "raw", raw
    yield "lower case", secret.lower().encode()
    yield "upper case", secret.upper().encode()
    yield "reversed", raw[::-1]
    yield "hex", raw.hex().encode()
    yield "HEX", raw.hex().upper().encode()
    yield "utf-16-le", secret.encode("utf-16-le")
    yield "utf-16-be", secret.encode("utf-16-be")
    yield "percent", urllib.parse.quote(secret, safe="").encode()
    yield "percent all", b"".join(b"%%%02x" % b for b in raw)
    yield "percent ALL", b"".join(b"%%%02X" % b for b in raw)
    yield "json", json.dumps(secret)[1:-1].encode()
    yield "json u", b"".join(b"\\u%04x" % b for b in raw)
    yield "html", html.escape(secret).encode()
    for shift in range(3):
        for kind, encode in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            text = encode(b"\0" * shift + raw)
            first, last = (shift * 8 + 5) // 6, (shift + len(raw)) * 8 // 6
            yield "%s +%d" % (kind, shift), text[first:last]


def main():
    with open(sys.argv[1]) as f:
        secrets = f.read().split()
    found = 0
    for path in sys.argv[2:]:
        with open(path, "rb") as f:
            data = f.read()
        # Also with what a reader would take out again: line breaks and the JSON escapes of answers.
        views = [data, re.sub(rb"[\r\n\t ]", b"", data), data.replace(b"\\n", b"").replace(b'\\"', b'"').replace(b"\\\\", b"\\")]
        for secret in secrets:
            for name, needle in spellings(secret):
                if any(needle in view for view in views):
                    found += 1
                    print("%s: found %s… as %s" % (path, secret[:3], name))
    print("%d secrets, %d files, %d found" % (len(secrets), len(sys.argv) - 2, found))
    return 1 if found else 0


sys.exit(main())
