# Converts what set_result accepts to JSON: JSON's own types here, the rest in foreign.py.
# airlock.pyi documents the forms; nothing is rounded, guessed or dropped.
import math

MAX_DEPTH = 200
MAX_INT_BITS = 14000  # below CPython's limit of 4300 digits


class ResultError(ValueError):
    """The data given to set_result has no JSON form. The message names the place."""


def result_json(value):
    """Returns value as JSON text, or raises ResultError."""
    return dump(plain(value, None, ()))


def dump(value):
    return "".join(compact(value, 0))


def plain(value, path, parents):
    """Returns value built from None, bool, int, float, str, list and dict alone.

    path is None for the root, else (path of the parent, key or index).
    parents are the ids of the containers around value.
    """
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        return checked_text(value, path)
    if kind is int:
        return checked_int(value, path)
    if kind is float:
        return checked_float(value, path)
    if kind is list or kind is tuple:
        return plain_sequence(value, path, inside(value, path, parents))
    if kind is dict:
        return plain_mapping(value.items(), path, inside(value, path, parents))
    return foreign.plain_other(value, path, parents)


def inside(value, path, parents):
    if id(value) in parents:
        raise unfit(path, "contains itself")
    if len(parents) >= MAX_DEPTH:
        raise unfit(path, "is nested deeper than %d levels" % MAX_DEPTH)
    return parents + (id(value),)


def plain_sequence(values, path, parents):
    return [plain(item, (path, index), parents) for index, item in enumerate(values)]


def plain_mapping(items, path, parents):
    result = {}
    for key, item in items:
        name = key if type(key) is str and key.isascii() else foreign.plain_key(key, path, parents)
        if name in result:
            raise unfit(path, "has two keys that are both %s in JSON" % dump(name))
        result[name] = plain(item, (path, name), parents)
    return result


def checked_text(text, path):
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise unfit(path, "has half a surrogate pair in it, which is not text") from None
    return text


def checked_int(number, path):
    if number.bit_length() > MAX_INT_BITS:
        raise unfit(path, "is an integer of %d bits: write it as text" % number.bit_length())
    return number


def checked_float(number, path):
    if not math.isfinite(number):
        raise unfit(path, "is %r, which JSON can't hold: replace it, for example with None" % number)
    return number


def unfit(path, problem):
    return ResultError("%s %s" % (foreign.spell(path), problem))
