# JSON by the C code that the module json wraps. The module imports re and enum, and together they
# take half as long as an interpreter's start. An interpreter without that code, or with another
# form of it, uses the module.
try:
    import _json

    def encoder(escape, separators):
        """Returns a function that takes a value and 0, and returns pieces of text."""
        return _json.make_encoder(None, None, escape, None, *separators, False, False, False)

    class Grammar:
        """The attributes that the C code looks up."""

        strict = True
        object_hook = object_pairs_hook = array_hook = None
        parse_float = parse_constant = float
        parse_int = int

    scan = _json.make_scanner(Grammar)
    escaped = encoder(_json.encode_basestring_ascii, (": ", ", "))
    compact = encoder(_json.encode_basestring, (":", ","))
    if scan('[1, "x"]', 0) != ([1, "x"], 8) or "".join(compact({"é": [1.5, None]}, 0)) != '{"é":[1.5,null]}':
        raise TypeError
except (ImportError, AttributeError, TypeError):
    import json

    def scan(text, start):
        return json.JSONDecoder().raw_decode(text, start)

    def escaped(value, level):
        return [json.dumps(value)]

    def compact(value, level):
        return [json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))]


def parse(text):
    """Parses JSON in UTF-8 and returns its value."""
    text = text.decode("utf-8", "surrogatepass").strip(" \t\r\n")
    try:
        value, end = scan(text, 0)
    except StopIteration:
        end = -1
    if end != len(text):
        raise ValueError("this is not JSON")
    return value
