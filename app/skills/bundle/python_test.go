package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestPythonIsReadAsItsOwnParserReadsIt compares the imports of every third standard library file
// with the module ast's.
func TestPythonIsReadAsItsOwnParserReadsIt(t *testing.T) {
	const parse = `
import ast, json, sys, sysconfig, pathlib, warnings
warnings.simplefilter("ignore")
for path in sorted(pathlib.Path(sysconfig.get_path("stdlib")).rglob("*.py"))[::3]:
    text = path.read_bytes()
    try:
        tree = ast.parse(text)
        text.decode("utf-8")
    except (SyntaxError, ValueError):
        continue
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [a.name for a in node.names]
        if isinstance(node, ast.ImportFrom):
            found.append("." * node.level + (node.module or "") + " " + ",".join(a.name for a in node.names))
    print(json.dumps([str(path), sorted(found)]))
`
	out, err := exec.Command("/usr/bin/python3", "-c", parse).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for line := range bytes.Lines(out) {
		var one []json.RawMessage
		var file string
		var want []string
		if json.Unmarshal(line, &one) != nil || json.Unmarshal(one[0], &file) != nil || json.Unmarshal(one[1], &want) != nil {
			t.Fatalf("read %s", line)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := readPython(file, string(text))
		got := []string{}
		for _, one := range s.imports {
			name := strings.Repeat(".", one.level) + one.module
			if one.names != nil {
				name += " " + strings.Join(one.names, ",")
			}
			got = append(got, name)
		}
		slices.Sort(got)
		if files++; !slices.Equal(got, want) || len(s.unread) > 0 {
			t.Errorf("%s: %v\ngot  %q\nwant %q", file, s.unread, got, want)
		}
	}
	if files < 100 {
		t.Errorf("only %d files were compared", files)
	}
}

func TestWhatPythonFilesDoIsFound(t *testing.T) {
	const source = `#!/usr/bin/env python3
"""import hidden; eval('x')"""
import os, os.path as where, subprocess as sp
from os import environ as env, (system)
from asyncio import (
    create_subprocess_shell,  # import other
)
df.eval("a"); re.compile("x"); f(exec=1); print(compile)
run = eval
sp.run(["ls"]); o = os
f"{os.popen('x'):>{os.getenv('W')}} {{eval(1)}} \N{DIGIT ONE} {x!r}"
rf"\{os.environ['A']}" '''import quoted
eval(2)'''
ｅｖａｌ(3)
def system(): \
    env["A"]
where.join("a")
__import__("ctypes")
if x: exec(y)
`
	s := readPython("a.py", source)
	want := "[a.py:3: subprocess a.py:4: os.system a.py:6: asyncio.create_subprocess_shell a.py:8: compile a.py:9: eval " +
		"a.py:10: subprocess.run a.py:11: os.popen a.py:14: eval a.py:18: __import__ a.py:19: exec]"
	if got := fmt.Sprint(s.calls); got != want || len(s.unread) > 0 {
		t.Errorf("got\n%s %v\nwant\n%s", got, s.unread, want)
	}
	want = "[a.py:4: os.environ a.py:11: os.getenv a.py:12: os.environ a.py:16: os.environ]"
	if got := fmt.Sprint(s.environment); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPythonThatCannotBeReadIsToldWithItsLine(t *testing.T) {
	for source, want := range map[string]string{
		"import a\nx = (1\nimport b\n":      "a.py:4: a bracket is not closed",
		"import a\nx = '1\nimport b\n":      "a.py:2: a text is not closed",
		"import a\nx = f'''{1''' \n":        "a.py:3: a text is not closed",
		"import a\n]\n":                     "a.py:2: the bracket ] closes none",
		"import a\nx = ?\n":                 "a.py:2: the character U+003F stands outside of texts",
		strings.Repeat("f'{", 60):           "a.py:1: f-strings are nested too deep",
		"import a\n\"\"\"\n\n":              "a.py:4: a text is not closed",
		"# comment\rimport a\r\nimport b\\": "a.py:3: the character U+005C stands outside of texts",
	} {
		s := readPython("a.py", source)
		if got := fmt.Sprint(s.unread); got != "["+want+"]" || !strings.HasPrefix(source, "f") && s.imports[0].module != "a" {
			t.Errorf("%q: got %s, want %s", source, got, want)
		}
	}
}

func TestImportsUnderConditionsAreOptional(t *testing.T) {
	const source = `import a
try:
    import b
except ImportError:
    import c
else: import d
import e
if TYPE_CHECKING:
	if x:
		pass
	import f
def g():
    import g
    if x: import h; import i
    import j
if __name__ == "__main__":
    import k
class l: import l
match m:
	case _: import m
	case n if (lambda: 1)(): import n; import o
p: int = 1
import q
`
	var always, maybe []string
	for _, one := range readPython("a.py", source).imports {
		if one.optional {
			maybe = append(maybe, one.module)
		} else {
			always = append(always, one.module)
		}
	}
	if fmt.Sprint(always, maybe) != "[a e g j k l q] [b c d f h i m n o]" {
		t.Errorf("got %v and %v", always, maybe)
	}
}

func TestHoleM8FactsAreEmptied(t *testing.T) {
	const source = `import shutil, pathlib
from http import client
match x:
    case _: import subprocess; subprocess.run(1)
shutil.os.popen("x")
client.socket.create_connection(("x", 1))
pathlib.os.environ["A"]
re.compile("x"), shutil.compile
`
	s := readPython("a.py", source)
	want := "[a.py:4: subprocess a.py:4: subprocess.run a.py:5: shutil.os.popen a.py:6: http.client.socket.create_connection]"
	if got := fmt.Sprint(s.calls); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := fmt.Sprint(s.environment); got != "[a.py:7: pathlib.os.environ]" {
		t.Errorf("got %s", got)
	}
	for source, line := range map[string]int{
		"# coding: utf-7\n# coding: utf-8\n": 1, "#!/usr/bin/python3\n# vim: set fileencoding=latin-1 :\n": 2,
		"\ufeff# coding=UTF_7\r": 1, "\f # x coding: coding:cp037": 1, "\r# coding: utf_16\n": 2,
		"# coding: utf-8\n": 0, "# -*- coding: ASCII -*-": 0, "x = 1\n\n# coding: utf-7\n": 0, "": 0,
	} {
		if _, got := foreignCoding(source); got != line {
			t.Errorf("%q: line %d, want %d", source, got, line)
		}
	}
}

// Whatever stands in a file, reading it ends.
func FuzzReadPython(f *testing.F) {
	f.Add("import a.b as c, d\nfrom . import (e, f as g)\n")
	f.Add("f'{x:{y}}' rf\"\\{z}\" '''\n''' \"\\\"\" # c\n")
	f.Add("if x: import a; y = lambda: 1\n")
	f.Fuzz(func(t *testing.T, source string) {
		s := readPython("a.py", source)
		lines := 2 + strings.Count(source, "\n") + strings.Count(source, "\r")
		for _, one := range slices.Concat(s.calls, s.environment, s.unread) {
			if one.Line < 1 || one.Line > lines || one.What == "" {
				t.Errorf("%+v", one)
			}
		}
	})
}
