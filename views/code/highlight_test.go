package code

import (
	"strings"
	"testing"
	"time"
)

func written(source string) string {
	var lines []string
	for _, line := range Python(source) {
		var parts []string
		for _, p := range line {
			if p.class != "" {
				parts = append(parts, p.class+":"+p.text)
			}
		}
		lines = append(lines, strings.Join(parts, " "))
	}
	return strings.Join(lines, " | ")
}

func TestPythonIsHighlighted(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"import httpx # why":                    "kw:import com:# why",
		"def total(x): return x * 1.5e3 + 0xFF": "kw:def kw:return num:1.5e3 num:0xFF",
		"class A:\n  pass":                      "kw:class | kw:pass",
		`a = "it's" + 'say "x"' + rb"\d"`:       `str:"it's" str:'say "x"' str:rb"\d"`,
		"a = '''one\n# two\n''' # three":        "str:'''one | str:# two | str:''' com:# three",
		"x = 'no end\ny = 1":                    "str:'no end | num:1",
		`x = "\"" + f"{a!r}"`:                   `str:"\"" str:f"{a!r}"`,
		"important = notable":                   "",
		"größe = 7 # ü":                         "num:7 com:# ü",
		"data = b'' or ''":                      "str:b'' kw:or str:''",
		`tail = """never ends` + "\nx = 1":      `str:"""never ends | str:x = 1`,
		"# no\rimport os\r\nx = 1":              "com:# no | kw:import | num:1",
		"broken \xff\xfe = 'x'":                 "str:'x'",
	} {
		if got := written(source); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

// Highlighting keeps every byte, and hostile text costs linear time.
func TestHighlightKeepsEveryByte(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for _, piece := range []string{"(", "'", `"""`, "f'{", "aa ", `\`, "1_", "\n", "import a as ", "é", "\x00\xff", "# x\n"} {
		source := strings.Repeat(piece, maxHighlighted/len(piece))
		var lines []string
		for _, line := range Python(source) {
			var text strings.Builder
			for _, p := range line {
				text.WriteString(p.text)
			}
			lines = append(lines, text.String())
		}
		if strings.Join(lines, "\n") != strings.TrimSuffix(source, "\n") {
			t.Errorf("%q comes back changed", piece)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("hostile scripts took %s", took)
	}
	if n := len(Python(strings.Repeat("import x\n", maxHighlighted))[0]); n != 1 {
		t.Errorf("a script over the bound has %d parts in its first line", n)
	}
}
