"""Looks for secrets in Airlock's output, without knowing how Airlock masks them.

usage: detect.py [--whole] SECRETS_FILE FILE...

SECRETS_FILE has one secret a line. The program undoes encodings, nested three deep, and looks for
two thirds of a secret. With --whole it looks only for whole secrets in one encoding, which is a
hundred times faster. It prints its findings; the exit status is 1 if there are any.
"""
import base64
import binascii
import bz2
import html
import json
import quopri
import re
import struct
import sys
import urllib.parse
import zlib

DEPTH = 3
MOST = 400  # views of one text
LONGEST = 1 << 20

ROT13 = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", b"NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm"
)
URL64 = bytes.maketrans(b"-_", b"+/")
DIGITS32 = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789ABCDEFGHIJKLMNOPQRSTUV")
DIGITS85 = bytes.maketrans(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~", bytes(range(33, 118))
)
ZERO85 = 33 * (85**4 + 85**3 + 85**2 + 85 + 1)
PRINTABLE = bytes(range(32, 127)) + b"\t\n\r" + bytes(range(0xC2, 0xF5))
MAGIC = b"\x1fxB"
BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{8,}")
WRAPPED64 = re.compile(rb"[A-Za-z0-9+/_-]{20,}(?:\s{1,4}[A-Za-z0-9+/_-]{4,})+")
HEX = re.compile(rb"[0-9A-Fa-f]{12,}")
HEXLIST = re.compile(rb"(?:(?:\\x|0x)?[0-9A-Fa-f]{2}[ :,-]{1,2}){5,}(?:\\x|0x)?[0-9A-Fa-f]{2}")
BASE32 = re.compile(rb"[A-Z2-7]{12,}|[a-z2-7]{12,}")
BASE85 = re.compile(rb"[!-u]{10,}")
OTHER85 = re.compile(rb"[0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]{10,}")
PERCENT = re.compile(rb"%[0-9A-Fa-f]{2}")
ESCAPE = re.compile(rb"\\(?:u\{?([0-9A-Fa-f]{4})\}?|x([0-9A-Fa-f]{2})|([0-7]{3})|([\\\"'/nrt]))")
ENTITY = re.compile(rb"&(?:#|[a-z]{2,})")
QUOTED = re.compile(rb"=[0-9A-F]{2}|=\r?\n")
NUMBERS = re.compile(rb"(?:\d{1,3}[,;\s]\s?){5,}\d{1,3}")
OCTALS = re.compile(rb"(?:\\?[0-3][0-7]{2}\s?){6,}")
BITS = re.compile(rb"(?:[01]{8}\s?){6,}")
SPACED = re.compile(rb"(?:\S[ ._|-]){7,}\S")
SPACE = re.compile(rb"[\s\x00]+|\xe2\x80[\x8b-\x8f]|\xef\xbb\xbf|\x1b\[[0-9;]*m")


def plain(data):
    return len(data.translate(None, PRINTABLE)) * 5 <= len(data)


def unpacked(data):
    """Returns the content of compressed or wide data, or None if data is neither."""
    if data[:2] == b"\x1f\x8b" or data[:1] == b"\x78":
        try:
            return zlib.decompressobj(47).decompress(data, LONGEST)
        except zlib.error:
            pass  # a wide text may begin with an x
    if data[:3] == b"BZh":
        try:
            return bz2.BZ2Decompressor().decompress(data, LONGEST)
        except (OSError, EOFError, ValueError):
            pass
    if data.count(0) * 3 > len(data):
        kind = "utf-16-le" if data[1::2].count(0) >= data[::2].count(0) else "utf-16-be"
        return data.decode(kind, "replace").encode("utf-8", "replace")
    return None


def base64_of(run):
    run = run.translate(URL64)
    for shift in range(4):
        part = run[shift:]
        if len(part) % 4 == 1:
            yield binascii.a2b_base64(part[:-1])
        else:
            yield binascii.a2b_base64(part + b"=" * (-len(part) % 4))


def base32_of(run):
    run = run.upper().translate(DIGITS32)
    for shift in range(8):
        part = run[shift:]
        text = (int(part, 32) >> len(part) * 5 % 8).to_bytes(len(part) * 5 // 8, "big")
        yield text[: len(part) // 8 * 5]
        if len(part) % 8 not in (1, 3, 6):  # no text has that many digits
            yield text


def base85_of(run):
    rest = run + b"uuuu"
    for shift in range(5):
        size = len(run) - shift
        whole = (size + 4) // 5
        digits = (rest[shift + i : shift + whole * 5 : 5] for i in range(5))
        groups = [
            a * 52200625 + b * 614125 + c * 7225 + d * 85 + e - ZERO85 & 0xFFFFFFFF for a, b, c, d, e in zip(*digits)
        ]
        yield struct.pack(">%dI" % whole, *groups)[: size // 5 * 4 + max(size % 5 - 1, 0)]


def escape(m):
    if m[1]:
        return chr(int(m[1], 16)).encode("utf-8", "surrogatepass")
    if m[2]:
        return bytes([int(m[2], 16)])
    if m[3]:
        return bytes([int(m[3], 8) & 255])
    return {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(m[4], m[4])


def numbers(base, text):
    return bytes(n for n in (int(t, base) for t in re.findall(rb"[0-9]+", text)) if n < 256)


def whole(data):
    """Yields readings of the data as a whole."""
    if PERCENT.search(data):
        yield "percent", urllib.parse.unquote_to_bytes(data)
        yield "percent+", urllib.parse.unquote_to_bytes(data.replace(b"+", b" "))
    if b"\\" in data:
        yield "escapes", ESCAPE.sub(escape, data)
    if ENTITY.search(data):
        yield "entities", html.unescape(data.decode("utf-8", "replace")).encode("utf-8", "replace")
    if QUOTED.search(data):
        yield "quoted-printable", quopri.decodestring(data)
    bare = SPACE.sub(b"", data)
    if bare != data:
        yield "no space", bare


def runs(data):
    """Yields readings of parts of the data."""
    for m in BASE64.finditer(data):
        for text in base64_of(m[0]):
            yield "base64", text
    for m in WRAPPED64.finditer(data):
        for text in base64_of(re.sub(rb"\s", b"", m[0])):
            yield "base64", text
    for m in HEX.finditer(data):
        for shift in (0, 1):
            part = m[0][shift:]
            yield "hex", binascii.unhexlify(part[: len(part) // 2 * 2])
    for m in HEXLIST.finditer(data):
        yield "hex list", binascii.unhexlify(re.sub(rb"\\x|0x|[ :,-]", b"", m[0]))
    for m in BASE32.finditer(data):
        for text in base32_of(m[0]):
            yield "base32", text
    for m in BASE85.finditer(data):
        for text in base85_of(m[0]):
            yield "base85", text
    for m in OTHER85.finditer(data):
        for text in base85_of(m[0].translate(DIGITS85)):
            yield "base85", text
    for m in NUMBERS.finditer(data):
        yield "decimal", numbers(10, m[0])
    for m in OCTALS.finditer(data):
        yield "octal", numbers(8, m[0])
    for m in BITS.finditer(data):
        yield "binary", bytes(int(t, 2) for t in re.findall(rb"[01]{8}", m[0]))
    for m in SPACED.finditer(data):
        yield "spaced", m[0][::2]


def readings(data, deepest=DEPTH):
    """Yields the data and its readings, each with the encodings that were undone."""
    seen = {data}
    level = [("raw", data)]
    for depth in range(deepest + 1):
        following = []
        for path, text in level:
            yield path, text
            if depth == deepest or len(seen) > MOST:
                continue
            sources = [whole(text), runs(text)]
            if len(text) <= 4096:
                backwards = text.decode("utf-8", "surrogateescape")[::-1].encode("utf-8", "surrogateescape")
                sources.append([("reversed", backwards), ("rot13", text.translate(ROT13))])
            for source in sources:
                for name, found in source:
                    if len(found) < 6 or found in seen:
                        continue
                    if found[0] in MAGIC or 0 in found:
                        inner = unpacked(found)
                        if inner is not None:
                            name, found = name + " unpacked", inner
                            if len(found) < 6 or found in seen:
                                continue
                    seen.add(found)
                    if plain(found):
                        following.append((path + ", " + name, found))
                    else:
                        yield path + ", " + name, found
        level = following


def needles(secret):
    """Returns the middle that every two thirds of the secret have, in its forms."""
    forms = {secret, "".join(secret.split())}
    for line in secret.splitlines():
        if len(line.strip()) >= 16 and not line.startswith("-----"):
            forms.add(line.strip())
    out = []
    for form in forms:
        for text in (form, form.lower(), form.upper()):
            raw = text.encode()
            third = len(raw) // 3
            middle = raw[third : len(raw) - third]
            out.append(middle if len(middle) >= 8 else raw)
    return set(out)


def look(data, seek, deepest=DEPTH):
    """Returns the first reading of data in which seek finds something, with its surroundings."""
    for path, text in readings(data, deepest):
        place = seek(text)
        if place:
            return "%s: %r***%r" % (path, text[max(0, place[0] - 60) : place[0]], text[place[1] : place[1] + 60])
    return None


def seeker_of_all(secrets):
    """Returns a search for many secrets, by one expression."""
    wanted = re.compile(b"|".join(re.escape(n) for s in secrets for n in sorted(needles(s), key=len)))

    def seek(text):
        m = wanted.search(text)
        return m and m.span()

    return seek


def seeker(secrets):
    """Returns a search for a few secrets, for which an expression would take longer to make."""
    wanted = sorted((n for s in secrets for n in needles(s)), key=len)

    def seek(text):
        for needle in wanted:
            if needle in text:
                at = text.index(needle)
                return at, at + len(needle)
        return None

    return seek


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


def files(secrets, paths, deep):
    """Searches files for secrets in many spellings and, if deep, reads each piece of text."""
    found = 0
    seek = seeker_of_all(secrets)
    for path in paths:
        with open(path, "rb") as f:
            data = f.read()
        # also without what readers remove: line breaks and the JSON escapes of answers
        views = {
            "": data,
            ", no space": re.sub(rb"[\r\n\t ]", b"", data),
            ", JSON undone": data.replace(b"\\n", b"").replace(b'\\"', b'"').replace(b"\\\\", b"\\"),
        }
        hits = []
        for secret in secrets:
            for name, needle in spellings(secret):
                hits += ((secret[:3] + "…", name + view) for view in views if needle in views[view])
        for m in re.finditer(rb"[\x09\x0a\x0d\x20-\x7e\x80-\xff]{12,}", data if deep else b""):
            for start in range(0, len(m[0]), 3000):
                hit = look(m[0][start : start + 4000], seek)
                if hit:
                    hits.append(("a secret", hit))
        for hit in hits[:20]:
            print("%s: found %s as %s" % ((path,) + hit))
        found += len(hits)
    print("%d secrets, %d files, %d found" % (len(secrets), len(paths), found))
    return found


def main():
    deep = sys.argv[1] != "--whole"
    secrets, *paths = sys.argv[1:] if deep else sys.argv[2:]
    with open(secrets) as f:
        return 1 if files(f.read().split(), paths, deep) else 0


if __name__ == "__main__":
    sys.exit(main())
