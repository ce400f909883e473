# JSON forms of other types: the standard library's, numpy's and pandas'. Types are looked up in
# sys.modules: a script with such values has imported their modules, and others need not pay.
from collections.abc import Mapping, Sequence, Set


def plain_other(value, path, parents):
    """Does what plain does, for every type but JSON's own."""
    if of(value, "enum", "Enum"):
        return plain(value.value, path, inside(value, path, parents))
    scalar = plain_scalar(value, path)
    if scalar is not None:
        return scalar
    return plain_container(value, path, inside(value, path, parents))


def plain_scalar(value, path):
    """Returns the JSON form of a single value, or None if its type is unknown."""
    if is_missing(value):
        raise unfit(path, "is %s, a missing value: replace it, for example with None" % value)
    for convert in (standard_scalar, numpy_scalar):
        found = convert(value, path)
        if found is not None:
            return found
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise unfit(path, "is bytes: decode it, or encode it with base64.b64encode(...).decode()")
    return None


def standard_scalar(value, path):
    if isinstance(value, str):
        return checked_text(str.__str__(value), path)
    if isinstance(value, int):
        return checked_int(int.__int__(value), path)
    if isinstance(value, float):
        return checked_float(float.__float__(value), path)
    if of(value, "decimal", "Decimal"):
        if not value.is_finite():
            raise unfit(path, "is Decimal %s, which JSON can't hold" % value)
        return sys.modules["decimal"].Decimal.__str__(value)
    if of(value, "datetime", "date") or of(value, "datetime", "time"):  # datetime is a date
        return checked_text(value.isoformat(), path)
    if of(value, "datetime", "timedelta"):
        return duration(timedelta_ns(value))
    if any(of(value, *name) for name in TEXTUAL):
        return checked_text(str(value), path)
    return None


# Types whose JSON form is their text.
TEXTUAL = ("uuid", "UUID"), ("fractions", "Fraction"), ("pathlib", "PurePath"), ("pandas", "Period")


def numpy_scalar(value, path):
    if of(value, "numpy", "bool_"):
        return bool(value)
    if of(value, "numpy", "timedelta64"):
        return numpy_duration(value, path)
    if of(value, "numpy", "datetime64"):
        return str(value)
    if of(value, "numpy", "integer"):
        return int(value)
    if of(value, "numpy", "floating"):
        number = checked_float(float(value), path)
        if number != value:
            raise unfit(path, "is %s, which a 64-bit float can't hold exactly" % type_name(value))
        return number
    return None


def plain_container(value, path, parents):
    if isinstance(value, Mapping):
        return plain_mapping(value.items(), path, parents)
    if of(value, "numpy", "ma", "MaskedArray"):
        raise unfit(path, "is a masked array: use .filled(...) or .tolist()")
    if of(value, "numpy", "ndarray"):
        return plain_array(value, path, parents)
    if isinstance(value, Set):
        items = list(value)
        return [form for form, _ in sorted(zip(plain_sequence(items, path, parents), items), key=set_order)]
    if isinstance(value, Sequence) or of(value, "collections", "deque") or of(value, "array", "array"):
        return plain_sequence(value, path, parents)
    if of(value, "pandas", "DataFrame"):
        return plain_frame(value, path, parents)
    if of(value, "pandas", "Series"):
        series = {"name": value.name, "index": value.index, "data": value.tolist()}
        return plain_mapping(dict(series, **index_names(value.index)).items(), path, parents)
    if of(value, "pandas", "Index") or of(value, "pandas", "Categorical"):
        return plain_sequence(value.tolist(), path, parents)
    if hasattr(type(value), "__dataclass_fields__"):
        fields = [(f.name, getattr(value, f.name)) for f in sys.modules["dataclasses"].fields(value)]
        return plain_mapping(fields, path, parents)
    hint = "convert it to a dict, list, str or number first"
    for name, better in WAYS_OUT:
        if hasattr(type(value), name):
            hint = better
            break
    raise unfit(path, "is of type %s, which has no JSON form: %s" % (type_name(value), hint))


# Advice for objects of other libraries, by an attribute of their type. The first match counts: a
# response of an HTTP client has the last three too.
WAYS_OUT = (
    ("status_code", "return its .json(), or its .text"),
    ("fetchall", "return its .fetchall()"),
    ("read", "return what its .read() gives, as text"),
    ("__iter__", "write list(...) around it"),
)


def plain_key(key, path, parents):
    """Returns the text of a key's JSON form: 1 is "1", None is "null", a date is ISO 8601."""
    try:
        form = plain(key, None, parents)
    except ResultError as error:
        raise unfit(path, "has a key that has no JSON form: " + str(error).partition(" ")[2]) from None
    if isinstance(form, (list, dict)):
        raise unfit(path, "has a key of type %s: keys must be single values" % type_name(key))
    return form if isinstance(form, str) else dump(form)


def plain_array(array, path, parents):
    if array.ndim == 0:
        return plain(array.item() if array.dtype.kind not in "mM" else array[()], path, parents)
    if array.dtype.kind in "biu":
        return array.tolist()
    return plain_sequence(array, path, parents)


def plain_frame(frame, path, parents):
    """Returns pandas' split orientation: columns, index, rows."""
    columns = [frame.iloc[:, n].tolist() for n in range(frame.shape[1])]
    rows = [[column[n] for column in columns] for n in range(frame.shape[0])]
    split = {"columns": frame.columns, "index": frame.index, "data": rows}
    return plain_mapping(dict(split, **index_names(frame.index)).items(), path, parents)


def index_names(index):
    """Returns the name of an index, or the names of its levels, if it has any."""
    names = list(index.names)
    if all(name is None for name in names):
        return {}
    return {"index_name": names[0]} if len(names) == 1 else {"index_names": names}


def set_order(pair):
    """Orders the items of a set: numbers first, by value, then the rest by JSON text."""
    form, item = pair
    number = item if of(item, "decimal", "Decimal") or of(item, "fractions", "Fraction") else form
    if isinstance(number, (str, list, dict)) or number is None:
        return 1, 0, dump(form)
    return 0, number, ""


def is_missing(value):
    pandas = sys.modules.get("pandas")
    if pandas is not None and (value is getattr(pandas, "NaT", sys) or value is getattr(pandas, "NA", sys)):
        return True
    if of(value, "numpy", "datetime64") or of(value, "numpy", "timedelta64"):
        return bool(sys.modules["numpy"].isnat(value))
    return False


def timedelta_ns(delta):
    if of(delta, "pandas", "Timedelta"):
        return int(delta.value)
    return (delta // sys.modules["datetime"].timedelta(microseconds=1)) * 1000


NS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
NS.update(m=60 * NS["s"], h=3600 * NS["s"], D=86400 * NS["s"], W=7 * 86400 * NS["s"])


def numpy_duration(value, path):
    unit, step = sys.modules["numpy"].datetime_data(value.dtype)
    if unit not in NS:
        raise unfit(path, "is a timedelta64 in unit %r: convert it to days or less first" % unit)
    return duration(int(value.astype("int64")) * step * NS[unit])


def duration(ns):
    """Returns ISO 8601 in days, hours, minutes and seconds: -P1DT2H0.5S."""
    sign, ns = ("-", -ns) if ns < 0 else ("", ns)
    minutes, ns = divmod(ns, NS["m"])
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    seconds = ("%d.%09d" % divmod(ns, NS["s"])).rstrip("0").rstrip(".")
    parts = (str(hours), "H"), (str(minutes), "M"), (seconds, "S")
    time = "".join(text + unit for text, unit in parts if text != "0")
    date = "%dD" % days if days else ""
    if not date and not time:
        time = "0S"
    return sign + "P" + date + ("T" + time if time else "")


def of(value, module, *names):
    """Tells whether value is an instance of a class in a module, without importing the module."""
    found = sys.modules.get(module)
    for name in names:
        found = getattr(found, name, None)
    return isinstance(found, type) and isinstance(value, found)


def type_name(value):
    kind = type(value)
    prefix = "" if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "."
    return prefix + kind.__qualname__


def spell(path):
    """Writes a path as Python: result.items[3].when, result["net sales"]."""
    steps = []
    while path is not None:
        path, step = path
        if isinstance(step, int):
            steps.append("[%d]" % step)
        elif step.isidentifier():
            steps.append("." + step)
        else:
            steps.append("[%s]" % dump(step if len(step) <= 100 else step[:100] + "…"))
    return "result" + "".join(reversed(steps))
