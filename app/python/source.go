package python

import (
	"slices"
	"strings"
)

// Source is what a Python file does, as far as its tokens tell.
type Source struct {
	Imports     []Import
	Calls       []Use // of what runs code or programs, loads native code or opens sockets
	Environment []Use // readings of environment variables

	Problem string // why the rest of the file was not read; "" if it was
	Line    int    // of the problem
}

// Import is an imported module.
type Import struct {
	Module string   // dotted; of a relative import what stands behind the dots
	Names  []string // that are taken from it
	Level  int      // dots of a relative import; else 0
	AtTop  bool     // the statement begins its line: it always runs
}

// Use is a name at its line.
type Use struct {
	Name string // dotted, as the imported thing is called
	Line int
}

// Read reads a file.
func Read(source string) Source {
	tokens, line, err := scan(source)
	r := reader{known: map[string]string{}}
	if err != nil {
		r.Problem, r.Line = err.Error(), line
	}
	var others []token
	before := endToken
	for len(tokens) > 0 {
		first, end := tokens[0], 1
		imports := first.text == "import" || first.text == "from"
		if imports && (before == endToken || before == ";" || before == ":") {
			end = slices.IndexFunc(tokens, func(t token) bool { return t.text == endToken || t.text == ";" })
		} else {
			others, imports = append(others, first), false
		}
		switch {
		case imports && first.text == "import":
			r.plainImport(tokens[1:end], first.column == 0)
		case imports:
			r.fromImport(tokens[1:end], first.column == 0)
		}
		before, tokens = tokens[end-1].text, tokens[end:]
	}
	r.uses(others) // names may be used above their import
	return r.Source
}

type reader struct {
	Source
	known map[string]string // what names stand for: dotted paths of imported things
}

// plainImport reads what stands behind import.
func (r *reader) plainImport(tokens []token, atTop bool) {
	for len(tokens) > 0 {
		module, rest := readDotted(tokens)
		if module == "" {
			return
		}
		r.Imports = append(r.Imports, Import{Module: module, AtTop: atTop})
		r.note(module, tokens[0].line)
		top, _, _ := strings.Cut(module, ".")
		r.known[top] = top
		if len(rest) > 1 && rest[0].text == "as" {
			r.known[rest[1].text] = module
			rest = rest[2:]
		}
		if len(rest) == 0 || rest[0].text != "," {
			return
		}
		tokens = rest[1:]
	}
}

// fromImport reads what stands behind from.
func (r *reader) fromImport(tokens []token, atTop bool) {
	one := Import{AtTop: atTop}
	for len(tokens) > 0 && tokens[0].text == "." {
		one.Level++
		tokens = tokens[1:]
	}
	rest := tokens
	if len(tokens) > 0 && tokens[0].text != "import" {
		one.Module, rest = readDotted(tokens)
	}
	if len(rest) == 0 || rest[0].text != "import" {
		return
	}
	if one.Level == 0 {
		r.note(one.Module, tokens[0].line)
	}
	for i, t := range rest[1:] {
		if rest[i].text == "as" || t.text != "*" && !t.isName() || t.text == "as" {
			continue
		}
		one.Names = append(one.Names, t.text)
		if one.Level > 0 {
			continue
		}
		full := one.Module + "." + t.text
		r.note(full, t.line)
		bound := t.text
		if after := rest[i+2:]; len(after) > 1 && after[0].text == "as" {
			bound = after[1].text
		}
		r.known[bound] = full
	}
	r.Imports = append(r.Imports, one)
}

// readDotted reads a.b.c at the beginning of tokens; "" if there is no name.
func readDotted(tokens []token) (name string, rest []token) {
	if len(tokens) == 0 || !tokens[0].isName() {
		return "", tokens
	}
	name, rest = tokens[0].text, tokens[1:]
	for len(rest) > 1 && rest[0].text == "." && rest[1].isName() {
		name, rest = name+"."+rest[1].text, rest[2:]
	}
	return name, rest
}

// uses notes what is done with imported things and built-in functions.
func (r *reader) uses(tokens []token) {
	before := ""
	for len(tokens) > 0 {
		path, rest := readDotted(tokens)
		if path == "" || before == "." || before == "def" || before == "class" {
			before, tokens = tokens[0].text, tokens[1:]
			continue
		}
		name, _, _ := strings.Cut(path, ".")
		if full, imported := r.known[name]; imported {
			r.note(full+strings.TrimPrefix(path, name), tokens[0].line)
		} else if slices.Contains(builtins, name) {
			r.Calls = append(r.Calls, Use{name, tokens[0].line})
		}
		before, tokens = name, rest
	}
}

// builtins are functions that run code.
var builtins = []string{"eval", "exec", "compile", "__import__", "__builtins__"}

// Paths that are noted, with all below them. A star stands for the rest of a name.
var (
	runs = []string{"subprocess", "ctypes", "cffi", "socket", "runpy", "pty", "posix", "importlib.import_module",
		"importlib.util", "importlib.machinery", "pickle.load*", "marshal.load*", "asyncio.create_subprocess_*",
		"os.system", "os.popen", "os.exec*", "os.spawn*", "os.posix_spawn*", "os.fork*", "os.*"}
	reads = []string{"os.environ*", "os.getenv*", "posix.environ"}
)

// note records the use of a dotted path of an import. Modules that another one has imported count
// too, as os in shutil.os.popen.
func (r *reader) note(full string, line int) {
	full = strings.TrimPrefix(full, "builtins.")
	if slices.Contains(builtins, full) {
		r.Calls = append(r.Calls, Use{full, line})
		return
	}
	for rest := full; rest != ""; _, rest, _ = strings.Cut(rest, ".") {
		switch {
		case matchesAny(reads, rest):
			r.Environment = append(r.Environment, Use{full, line})
			return
		case matchesAny(runs, rest):
			r.Calls = append(r.Calls, Use{full, line})
			return
		}
	}
}

// matchesAny reports whether a dotted path is one of patterns, or below it.
func matchesAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return path == pattern || strings.HasPrefix(path, pattern+".") ||
			open && prefix != "os." && strings.HasPrefix(path, prefix)
	})
}
