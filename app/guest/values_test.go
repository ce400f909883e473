package guest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

type valueCase struct{ expr, want string }

const valueImports = `
import array, collections, dataclasses, datetime as dt, decimal, enum, fractions, io, json, pathlib, types, uuid
D = decimal.Decimal
class Color(enum.Enum): RED = "red"; WHEN = dt.date(2024, 2, 29)
class Level(enum.IntEnum): HIGH = 3
class Text(str): pass
class Whole(int): pass
class Real(float): pass
Point = collections.namedtuple("Point", "x y")
@dataclasses.dataclass
class Row: name: str; paid: D
class Plain: pass
class Response:
    status_code = 200
    def __iter__(self): return iter(())
loop = []; loop.append(loop)
ring = {}; ring["inner"] = {"back": ring}
shared = [1]
deep = []
for _ in range(198): deep = [deep]
deeper = [[deep]]
`

const dataImports = valueImports + `
import numpy as np, pandas as pd
frame = pd.DataFrame({"when": pd.to_datetime(["2024-01-01", "2024-01-02 03:04:05.123456789"]), "n": [1, 2], "who": ["a", None]})
`

// evaluate makes all JSON values in one box as one result, and all errors in another.
func evaluate(t *testing.T, prelude string, cases []valueCase) {
	t.Helper()
	var good, want, problems []string
	attempts := prelude + "\nfrom airlock import ResultError\ndef attempt(make):\n    try: set_result(make())\n    " +
		"except ResultError as e: print(json.dumps(str(e)))\n    else: print(json.dumps('ok'))\n"
	for _, c := range cases {
		if strings.HasPrefix(c.want, "result") {
			problems = append(problems, c.want)
			attempts += fmt.Sprintf("attempt(lambda: %s)\n", c.expr)
			continue
		}
		good, want = append(good, c.expr), append(want, c.want)
	}
	f := script(t, prelude+"\nset_result(["+strings.Join(good, ",\n")+"])")
	if f.Failed != nil {
		t.Fatal(f.Failed.Traceback)
	}
	var got []json.RawMessage
	if err := json.Unmarshal(f.Result, &got); err != nil || len(got) != len(want) {
		t.Fatalf("%v: %s", err, f.Result)
	}
	for i := range want {
		if string(got[i]) != want[i] {
			t.Errorf("%s:\n got %s\nwant %s", good[i], got[i], want[i])
		}
	}
	f = script(t, attempts)
	if f.Failed != nil {
		t.Fatal(f.Failed.Traceback)
	}
	for i, line := range strings.Split(strings.TrimSpace(f.stdout), "\n") {
		var text string
		if err := json.Unmarshal([]byte(line), &text); err != nil || i >= len(problems) || text != problems[i] {
			t.Errorf("line %d: %v\n got %s\nwant %s", i, err, text, problems[min(i, len(problems)-1)])
		}
	}
}

func TestStandardValues(t *testing.T) {
	evaluate(t, valueImports, []valueCase{
		{`[None, True, False, 0, -1, 10**40, 1.5, -0.0, 1e300, "x", "naïve ☃ 🚀", ""]`,
			`[null,true,false,0,-1,` + "1" + strings.Repeat("0", 40) + `,1.5,-0.0,1e+300,"x","naïve ☃ 🚀",""]`},
		{`[Text("t"), Whole(7), Real(0.5)]`, `["t",7,0.5]`},
		{`[D("1.10"), D("-0"), D("1E+3"), D("12345678901234567890.123456789")]`,
			`["1.10","-0","1E+3","12345678901234567890.123456789"]`},
		{`[dt.date(2024, 2, 29), dt.datetime(2024, 1, 2, 3, 4, 5, 6), dt.datetime(2024, 1, 2, tzinfo=dt.timezone.utc), dt.time(1, 2, 3)]`,
			`["2024-02-29","2024-01-02T03:04:05.000006","2024-01-02T00:00:00+00:00","01:02:03"]`},
		{`[dt.timedelta(), dt.timedelta(days=1), dt.timedelta(hours=26, milliseconds=500), dt.timedelta(seconds=-1), dt.timedelta(microseconds=1), dt.timedelta(minutes=90)]`,
			`["PT0S","P1D","P1DT2H0.5S","-PT1S","PT0.000001S","PT1H30M"]`},
		{`[uuid.UUID(int=1), fractions.Fraction(1, 3), pathlib.PurePosixPath("/a/b")]`,
			`["00000000-0000-0000-0000-000000000001","1/3","/a/b"]`},
		{`[Color.RED, Color.WHEN, Level.HIGH]`, `["red","2024-02-29",3]`},
		{`[(1, 2), Point(1, 2), collections.deque([1]), range(3), array.array("i", [1, 2]), []]`,
			`[[1,2],[1,2],[1],[0,1,2],[1,2],[]]`},
		{`[{3, 1, 2}, frozenset({"b", "a"}), {10, 9, "x"}, {(2, 1), (1, 2)}, {"a": 1}.keys()]`,
			`[[1,2,3],["a","b"],[9,10,"x"],[[1,2],[2,1]],["a"]]`},
		{`[{10, 9, 100, 1}, {D("10"), D("9.5"), 9}, {2.5, -1, fractions.Fraction(1, 3)}, {None, "10", 2}]`,
			`[[1,9,10,100],[9,"9.5","10"],[-1,"1/3",2.5],[2,"10",null]]`},
		{`Row("x", D("1.50"))`, `{"name":"x","paid":"1.50"}`},
		{`{"b": 1, "a": 2, 3: 4, None: 5, True: 6, 1.5: 7, D("0.1"): 8, dt.date(2024, 1, 1): 9, Color.RED: 10, "é": 11}`,
			`{"b":1,"a":2,"3":4,"null":5,"true":6,"1.5":7,"0.1":8,"2024-01-01":9,"red":10,"é":11}`},
		{`[collections.OrderedDict(a=1), collections.Counter("aab"), types.MappingProxyType({"k": 1}), collections.ChainMap({"x": 1})]`, `[{"a":1},{"a":2,"b":1},{"k":1},{"x":1}]`},
		{`[shared, shared]`, `[[1],[1]]`},
		{`deep`, strings.Repeat("[", 199) + strings.Repeat("]", 199)},
		{`None`, `null`},

		{`float("nan")`, `result is nan, which JSON can't hold: replace it, for example with None`},
		{`{"a": [1, float("inf")]}`, `result.a[1] is inf, which JSON can't hold: replace it, for example with None`},
		{`{"items": [0, 1, 2, {"when": b"x"}]}`,
			`result.items[3].when is bytes: decode it, or encode it with base64.b64encode(...).decode()`},
		{`{"net sales": {"a\"b": bytearray()}}`,
			`result["net sales"]["a\"b"] is bytes: decode it, or encode it with base64.b64encode(...).decode()`},
		{`[D("NaN")]`, `result[0] is Decimal NaN, which JSON can't hold`},
		{`["ok", "\ud800"]`, `result[1] has half a surrogate pair in it, which is not text`},
		{`{"\ud800": 1}`, `result has a key that has no JSON form: has half a surrogate pair in it, which is not text`},
		{`1 << 20000`, `result is an integer of 20001 bits: write it as text`},
		{`loop`, `result[0] contains itself`},
		{`ring`, `result.inner.back contains itself`},
		{`deeper`, `result` + strings.Repeat("[0]", 200) + ` is nested deeper than 200 levels`},
		{`{1: 1, "1": 2}`, `result has two keys that are both "1" in JSON`},
		{`{(1, 2): 3}`, `result has a key of type tuple: keys must be single values`},
		{`{"x": object()}`,
			`result.x is of type object, which has no JSON form: convert it to a dict, list, str or number first`},
		{`{"x": Plain()}`, `result.x is of type Plain, which has no JSON form: convert it to a dict, list, str or number first`},
		{`(n for n in "ab")`, `result is of type generator, which has no JSON form: write list(...) around it`},
		{`Response()`, `result is of type Response, which has no JSON form: return its .json(), or its .text`},
		{`io.StringIO("x")`, `result is of type _io.StringIO, which has no JSON form: return what its .read() gives, as text`},
		{`[{"a": 1}.values()]`, `result[0] is of type dict_values, which has no JSON form: write list(...) around it`},
		{`[1 + 2j]`, `result[0] is of type complex, which has no JSON form: convert it to a dict, list, str or number first`},
		{`[print, Row]`, `result[0] is of type builtin_function_or_method, which has no JSON form: convert it to a dict, list, str or number first`},
	})
}

func TestDataValues(t *testing.T) {
	evaluate(t, dataImports, []valueCase{
		{`[np.bool_(True), np.int8(-1), np.uint64(2**64 - 1), np.float32(0.1), np.float64(0.1), np.float16(0.5), np.str_("s")]`, `[true,-1,18446744073709551615,0.10000000149011612,0.1,0.5,"s"]`},
		{`[np.datetime64("2024-01-01"), np.datetime64("2024-01-01T00:00:00.000000001"), np.timedelta64(90, "m"), np.timedelta64(-1, "ns")]`, `["2024-01-01","2024-01-01T00:00:00.000000001","PT1H30M","-PT0.000000001S"]`},
		{`[np.arange(3), np.eye(2), np.array(5), np.array([]), np.array([True]), np.array(["a"]), np.array([D("1.0"), None], dtype=object)]`, `[[0,1,2],[[1.0,0.0],[0.0,1.0]],5,[],[true],["a"],["1.0",null]]`},
		{`np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]")`, `["2024-01-01","2024-01-02"]`},
		{`{np.int64(1): np.int64(2)}`, `{"1":2}`},
		{`frame`, `{"columns":["when","n","who"],"index":[0,1],"data":[["2024-01-01T00:00:00",1,"a"],["2024-01-02T03:04:05.123456789",2,null]]}`},
		{`frame.groupby("n")["n"].sum()`, `{"name":"n","index":[1,2],"data":[1,2],"index_name":"n"}`},
		{`frame.set_index(["n", "when"])[[]]`,
			`{"columns":[],"index":[[1,"2024-01-01T00:00:00"],[2,"2024-01-02T03:04:05.123456789"]],"data":[[],[]],"index_names":["n","when"]}`},
		{`frame.set_index("who")[["n"]]`,
			`{"columns":["n"],"index":["a",null],"data":[[1],[2]],"index_name":"who"}`},
		{`[pd.Timestamp("2024-01-01", tz="UTC"), pd.Timedelta("1 days 00:00:00.000000001"), pd.Period("2024-01", "M"), pd.Index([1, 2]), pd.Categorical(["x", "y", "x"])]`,
			`["2024-01-01T00:00:00+00:00","P1DT0.000000001S","2024-01",[1,2],["x","y","x"]]`},
		{`pd.Series([1.5, 2.5], index=["a", "b"])`, `{"name":null,"index":["a","b"],"data":[1.5,2.5]}`},

		{`pd.NaT`, `result is NaT, a missing value: replace it, for example with None`},
		{`[np.datetime64("NaT")]`, `result[0] is NaT, a missing value: replace it, for example with None`},
		{`{"df": pd.DataFrame({"a": [1.0, None]})}`, `result.df.data[1][0] is nan, which JSON can't hold: replace it, for example with None`},
		{`pd.Series([1, None], dtype="Int64")`,
			`result.data[1] is <NA>, a missing value: replace it, for example with None`},
		{`pd.Series(pd.to_datetime(["2024-01-01", None]))`,
			`result.data[1] is NaT, a missing value: replace it, for example with None`},
		{`np.array([[1.0, 2.0], [3.0, np.nan]])`, `result[1][1] is nan, which JSON can't hold: replace it, for example with None`},
		{`np.array([1j])`, `result[0] is of type numpy.complex128, which has no JSON form: convert it to a dict, list, str or number first`},
		{`np.array([b"x"])`, `result[0] is bytes: decode it, or encode it with base64.b64encode(...).decode()`},
		{`np.longdouble(1) / 3`, `result is numpy.float128, which a 64-bit float can't hold exactly`},
		{`np.timedelta64(1, "Y")`, `result is a timedelta64 in unit 'Y': convert it to days or less first`},
		{`np.ma.array([1, 2], mask=[0, 1])`, `result is a masked array: use .filled(...) or .tolist()`},
	})
}

func TestResultIsConvertedAtTheCall(t *testing.T) {
	if f := script(t, "x = [1]\nset_result(x)\nx.append(2)"); string(f.Result) != "[1]" {
		t.Errorf("%s", f.Result)
	}
}

func TestFailedConversionKeepsTheLastResult(t *testing.T) {
	f := script(t, "set_result(1)\nset_result({'x': {1, b''}})")
	if string(f.Result) != "1" || f.Failed == nil ||
		f.Failed.Error != "airlock.ResultError: result.x is bytes" &&
			!strings.HasPrefix(f.Failed.Error, "airlock.ResultError: result.x[") || f.Failed.Line != 2 {
		t.Errorf("%+v", f)
	}
}

func TestResultSize(t *testing.T) {
	for size, fits := range map[int]bool{98: true, 99: false} {
		j := job(fmt.Sprintf("set_result('x' * %d)", size))
		j.MaxResult = 100
		f := execute(t, j, &recorder{})
		if f.err != nil || (len(f.Result) == 100) != fits || (f.Failed == nil) != fits {
			t.Errorf("%d: %+v", size, f)
		}
		if !fits && f.Failed.Error != "airlock.ResultError: result is 101 bytes of JSON, the limit is 100" {
			t.Error(f.Failed.Error)
		}
	}
	j := job("set_result(['☃' * 1000] * 1390)")
	if f := execute(t, j, &recorder{}); f.err != nil || len(f.Result) < 4_100_000 {
		t.Errorf("%v, %d bytes, %+v", f.err, len(f.Result), f.Failed)
	}
}
