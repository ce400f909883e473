package python

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
		s := Read(string(text))
		got := []string{}
		for _, one := range s.Imports {
			name := strings.Repeat(".", one.Level) + one.Module
			if one.Names != nil {
				name += " " + strings.Join(one.Names, ",")
			}
			got = append(got, name)
		}
		slices.Sort(got)
		if files++; !slices.Equal(got, want) || s.Problem != "" {
			t.Errorf("%s: %v\ngot  %q\nwant %q", file, s.Problem, got, want)
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
	s := Read(source)
	want := "[{subprocess 3} {os.system 4} {asyncio.create_subprocess_shell 6} {exec 8} {compile 8} {eval 9} " +
		"{subprocess.run 10} {os.popen 11} {eval 14} {__import__ 18} {exec 19}]"
	if got := fmt.Sprint(s.Calls); got != want || s.Problem != "" {
		t.Errorf("got\n%s %v\nwant\n%s", got, s.Problem, want)
	}
	want = "[{os.environ 4} {os.getenv 11} {os.environ 12} {os.environ 16}]"
	if got := fmt.Sprint(s.Environment); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPythonThatCannotBeReadIsToldWithItsLine(t *testing.T) {
	for source, want := range map[string]string{
		"import a\nx = (1\nimport b\n": "4: a bracket is not closed",
		"import a\nx = '1\nimport b\n": "2: a text is not closed",
		"import a\nx = f'''{1''' \n":   "3: a text is not closed",
		"import a\n]\n":                "2: the bracket ] closes none",
		strings.Repeat("f'{", 60):      "1: f-strings are nested too deep",
		"import a\n\"\"\"\n\n":         "4: a text is not closed",
		"# comment\rimport a\r\nx = '": "3: a text is not closed",
	} {
		s := Read(source)
		got := fmt.Sprintf("%d: %s", s.Line, s.Problem)
		if got != want || !strings.HasPrefix(source, "f") && s.Imports[0].Module != "a" {
			t.Errorf("%q: got %s, want %s", source, got, want)
		}
	}
}

func TestIndentedImportsAreNotAtTop(t *testing.T) {
	const source = `import a
try:
    import b
except ImportError:
	import c
else: import d
import e; import f
x = (1,
import_g)
if __name__ == "__main__":
    from h import (i,
j)
'''
import k
'''
from l import m
`
	var top, other []string
	for _, one := range Read(source).Imports {
		if one.AtTop {
			top = append(top, one.Module)
		} else {
			other = append(other, one.Module)
		}
	}
	if fmt.Sprint(top, other) != "[a e l] [b c d f h]" {
		t.Errorf("got %v and %v", top, other)
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
	s := Read(source)
	want := "[{subprocess 4} {subprocess.run 4} {shutil.os.popen 5} {http.client.socket.create_connection 6}]"
	if got := fmt.Sprint(s.Calls); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := fmt.Sprint(s.Environment); got != "[{pathlib.os.environ 7}]" {
		t.Errorf("got %s", got)
	}
}

// Whatever stands in a file, reading it ends.
func FuzzRead(f *testing.F) {
	f.Add("import a.b as c, d\nfrom . import (e, f as g)\n")
	f.Add("f'{x:{y}}' rf\"\\{z}\" '''\n''' \"\\\"\" # c\n")
	f.Add("if x: import a; y = lambda: 1\n")
	f.Fuzz(func(t *testing.T, source string) {
		s := Read(source)
		lines := 2 + strings.Count(source, "\n") + strings.Count(source, "\r")
		for _, use := range slices.Concat(s.Calls, s.Environment) {
			if use.Line < 1 || use.Line > lines || use.Name == "" {
				t.Errorf("%+v", use)
			}
		}
	})
}
