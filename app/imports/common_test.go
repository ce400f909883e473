package imports_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/imports"
)

func TestAtTop(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script, want string
	}{
		{"names", "import os\nimport a.b as c, d , e.f", "a.b d e.f os"},
		{"from", "from a.b import c as d, e", "a.b a.b.c a.b.e"},
		{"in parentheses", "from a import (b,\n    c)\nimport d", "a a.b a.c d"},
		{"star and relative", "from a import *\nfrom . import b\nfrom .c import d", "a a.*"},
		{"once", "import a\nimport a\nfrom a import b", "a a.b"},
		{"comments and statements beside them", "import a # import b\nimport c; import d\n# import e", "a c"},
		{"indented", "def f():\n    import a\nif x: import b\ntry:\n\timport c\nexcept: pass", ""},
		{"no statement", "important = 1\nimported(a)\nfrom_ = 2\nimport\nimport 1a\nfrom a importb", ""},
		{"tabs and line ends", "import\ta\r\nfrom\tb\timport\tc\r\n", "a b b.c"},
		{"in text", "x = \"\"\"\nimport a\n\"\"\"\nimport b\ny = '''\nimport c\n\"\"\"\n'''; z = 1\nimport d", "b d"},
		{"quotes in texts", "x = \"'''\"\nimport a\ny = '\"\"\"'\nimport b\nz = '\\'\\'\\'' # '''\nimport c", "a b c"},
		{"escaped quotes", "x = \"\"\"\n\\\"\"\"\nimport a\n\"\"\"\nimport b", "b"},
		{"lines that go on", "x = 1 + \\\nimport_a\nimport a, \\\nb\nimport c", "a b c"},
		{"words of other languages", "import größe\nfrom 模块 import b", "größe 模块 模块.b"},
		{"empty", "", ""},
	} {
		if got := strings.Join(imports.AtTop(tt.script), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzAtTop: whatever a script is, names are names and come once, and text before them changes nothing that it
// shouldn't.
func FuzzAtTop(f *testing.F) {
	f.Add("import a\nfrom b import c")
	f.Add("x = '''\nimport a\n'''\nimport b, \\\nc")
	f.Add("\"\\\nimport a")
	f.Fuzz(func(t *testing.T, script string) {
		script = strings.TrimPrefix(script, "\ufeff")
		got := imports.AtTop(script)
		for i, name := range got {
			if name == "" || strings.ContainsAny(name, " \t\r\n,;#()'\"\\") || slices.Contains(got[:i], name) {
				t.Errorf("%q in %q", name, got)
			}
		}
		again := imports.AtTop("'''\nimport never\n'''\n" + script)
		if !slices.Equal(got, again) {
			t.Errorf("%q, after a text %q", got, again)
		}
	})
}

func TestCommon(t *testing.T) {
	t.Parallel()
	scripts := func(n, with int, line string) []string {
		list := slices.Repeat([]string{"import os"}, n)
		for i := range with {
			list[i] = line
		}
		return list
	}
	for _, tt := range []struct {
		name    string
		scripts []string
		want    string
	}{
		{"one of ten", scripts(20, 2, "import pandas, csv"), "csv pandas"},
		{"fewer", scripts(20, 1, "import pandas"), ""},
		{"too few scripts", scripts(19, 19, "import pandas"), ""},
		{"counted once a script", scripts(20, 1, "import csv\nimport csv"), ""},
		{"not known to be safe", scripts(20, 20, "import threading, mine"), ""},
		{"from a package", scripts(20, 2, "from xml.etree import ElementTree"), "xml.etree.ElementTree"},
		{"none", nil, ""},
	} {
		if got := strings.Join(imports.Common(tt.scripts), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
