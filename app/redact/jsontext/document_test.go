package jsontext

import (
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestParse: a document is compact, keeps its order, and has each key once.
func TestParse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"{\"b\": 1,\n \"a\": {\"d\":2, \"c\":[ ]}}": `{"b":1,"a":{"d":2,"c":[]}}`,
		`{"a":1,"b":2,"\u0061":{"x":[3]}}`:          `{"a":{"x":[3]},"b":2}`,
		`[1.0, 1e400, -0, "\u00e9\/\u003c", null]`:  `[1.0,1e400,-0,"é/<",null]`,
		`["\ud800x", "\u0000", "\u2028"]`:           "[\"\uFFFDx\",\"\\u0000\",\"\\u2028\"]",
		` "x" `:                                     `"x"`,
	} {
		d, err := Parse([]byte(in))
		if err != nil || d.Text() != want {
			t.Errorf("%s: %v, %v", in, d, err)
		}
	}
}

// TestSpans: every node's span has its own text.
func TestSpans(t *testing.T) {
	t.Parallel()
	d, err := Parse([]byte(`{"z": [1, {"y": "a\"b"}], "a": true, "z": ["c", [2]]}`))
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	var walk func(n Node)
	walk = func(n Node) {
		start, end := d.Span(n)
		seen = append(seen, d.Text()[start:end])
		for in := range d.Inside(n) {
			if d.Kind(in) == Key {
				seen = append(seen, d.String(in))
				in = d.Value(in)
			}
			walk(in)
		}
	}
	walk(d.Root())
	want := []string{`{"z":["c",[2]],"a":true}`, "z", `["c",[2]]`, `"c"`, "[2]", "2", "a", "true"}
	if !slices.Equal(seen, want) {
		t.Errorf("%q", seen)
	}
}

// TestSorted: the sorted form is what encoding/json makes of a map.
func TestSorted(t *testing.T) {
	t.Parallel()
	const in = `{"b":[{"z":1,"a":2}],"a":{"é":1,"e":2,"":3},"a":4}`
	got, err := Sort([]byte(in))
	var v any
	if err := json.Unmarshal([]byte(in), &v); err != nil {
		t.Fatal(err)
	}
	if want, _ := json.Marshal(v); err != nil || got != string(want) {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestInvalid(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"nothing": "", "space": " ", "two": "1 2", "trailing": "[1]]", "open": `{"a":1`, "comma": "[1,]",
		"not UTF-8": "[\"\xff\"]", "NaN": "NaN", "too deep": strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1),
	} {
		if d, err := Parse([]byte(in)); !errors.Is(err, ErrInvalid) || d != nil {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

// TestMemory: a list of two million numbers takes less than 32 bytes for each of its bytes.
func TestMemory(t *testing.T) {
	in := []byte("[" + strings.TrimSuffix(strings.Repeat("1,", 2_000_000), ",") + "]")
	before := allocated()
	d, err := Parse(in)
	if grown := allocated() - before; err != nil || grown > 32*uint64(len(in)) {
		t.Errorf("%d bytes for %d, %v", grown, len(in), err)
	}
	runtime.KeepAlive(d)
}

func allocated() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// FuzzParse: a document says what encoding/json reads, and is stable.
func FuzzParse(f *testing.F) {
	f.Add(`{"a":[1,{"b":"\u00e9"}],"a":2}`)
	f.Fuzz(func(t *testing.T, in string) {
		d, err := Parse([]byte(in))
		if err != nil {
			return
		}
		var given, got any
		if json.Unmarshal([]byte(in), &given) == nil && (json.Unmarshal([]byte(d.Text()), &got) != nil ||
			!reflect.DeepEqual(given, got)) {
			t.Errorf("%s became %s", in, d.Text())
		}
		if again, err := Parse([]byte(d.Text())); err != nil || again.Text() != d.Text() {
			t.Errorf("%s became %s", d.Text(), again.Text())
		}
	})
}
