package bundle

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// pySource is what a Python file does, as far as its tokens tell.
type pySource struct {
	imports     []pyImport
	calls       []Finding // of what runs code or programs, loads native code or opens sockets
	environment []Finding // readings of environment variables
	unread      []Finding // why the rest of the file was not read, or is not read like this by Python
}

type pyImport struct {
	module   string   // dotted; of a relative import what stands behind the dots
	names    []string // that are taken from it
	level    int      // dots of a relative import; else 0
	optional bool     // under if, try or except: it may not be needed
}

func isPython(f File) bool {
	first, _, _ := strings.Cut(string(f.Content[:min(len(f.Content), 100)]), "\n")
	return path.Ext(f.Path) == ".py" || strings.HasPrefix(first, "#!") && strings.Contains(first, "python")
}

// pyCoding is a line in which a source names its encoding (PEP 263).
var pyCoding = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)

// foreignCoding returns the encoding that a source names, and its line, if it isn't UTF-8. Python
// then reads another program than a person. It checks the first two lines only.
func foreignCoding(source string) (name string, line int) {
	lines := strings.SplitN(newlines.Replace(strings.TrimPrefix(source, "\ufeff")), "\n", 3)
	for i, text := range lines[:min(2, len(lines))] {
		coding := pyCoding.FindStringSubmatch(text)
		if coding == nil {
			continue
		}
		switch strings.ReplaceAll(strings.ToLower(coding[1]), "_", "-") {
		case "utf-8", "utf8", "utf-8-sig", "utf-8-unix", "ascii", "us-ascii":
		default:
			return coding[1], i + 1
		}
	}
	return "", 0
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func readPython(file, source string) (s pySource) {
	lines, last, err := scanPython(source)
	if err != nil {
		s.unread = append(s.unread, Finding{file, last, err.Error()})
	}
	r := pyReader{file: file, known: map[string]string{}}
	for _, line := range lines {
		r.line(line)
	}
	for _, statement := range r.others { // names may be used above their import
		r.uses(statement)
	}
	s.imports, s.calls, s.environment = r.imports, r.calls, r.environment
	return s
}

type pyReader struct {
	file   string
	blocks []pyBlock
	known  map[string]string // what names stand for: dotted paths of imported things
	others [][]pyToken       // statements that import nothing

	imports            []pyImport
	calls, environment []Finding
}

// pyBlock is a compound statement that may hold the next lines.
type pyBlock struct {
	indent   int
	optional bool
}

func (r *pyReader) line(line pyLine) {
	r.blocks = slices.DeleteFunc(r.blocks, func(b pyBlock) bool { return b.indent >= line.indent })
	header, statements := splitStatements(line.tokens)
	if header != nil {
		r.others = append(r.others, header)
		r.blocks = append(r.blocks, pyBlock{line.indent, isOptional(header)})
	}
	optional := slices.ContainsFunc(r.blocks, func(b pyBlock) bool { return b.optional })
	for _, statement := range statements {
		switch {
		case len(statement) > 1 && statement[0].text == "import":
			r.plainImport(statement[1:], optional)
		case len(statement) > 1 && statement[0].text == "from":
			r.fromImport(statement[1:], optional)
		default:
			r.others = append(r.others, statement)
		}
	}
}

// splitStatements divides a logical line into a block's header, if any, and statements. It takes an
// annotation's target for a header too, which is harmless.
func splitStatements(tokens []pyToken) (header []pyToken, statements [][]pyToken) {
	begin, depth, lambdas := 0, 0, 0
	for i, t := range tokens {
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case "lambda":
			if depth == 0 {
				lambdas++
			}
		case ":":
			if depth > 0 || header != nil || i == 0 || i+1 < len(tokens) && tokens[i+1].text == "=" {
				continue
			}
			if lambdas--; lambdas < 0 {
				header, begin = tokens[:i], i+1
			}
		case ";":
			if depth == 0 {
				statements, begin = append(statements, tokens[begin:i]), i+1
			}
		}
	}
	return header, append(statements, tokens[begin:])
}

// isOptional reports whether what a block holds may not run in a skill that works.
func isOptional(header []pyToken) bool {
	switch header[0].text {
	case "if":
		return len(header) < 2 || header[1].text != "__name__"
	case "try", "except", "elif", "else", "case":
		return true
	}
	return false
}

// plainImport reads what stands behind import.
func (r *pyReader) plainImport(tokens []pyToken, optional bool) {
	for len(tokens) > 0 {
		module, rest := dotted(tokens)
		if module == "" {
			return
		}
		r.imports = append(r.imports, pyImport{module: module, optional: optional})
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
func (r *pyReader) fromImport(tokens []pyToken, optional bool) {
	one := pyImport{optional: optional}
	line := tokens[0].line
	for len(tokens) > 0 && tokens[0].text == "." {
		one.level++
		tokens = tokens[1:]
	}
	var rest []pyToken
	if len(tokens) > 0 && tokens[0].text != "import" {
		one.module, rest = dotted(tokens)
	} else {
		rest = tokens
	}
	if len(rest) == 0 || rest[0].text != "import" {
		return // such as "raise x from y"
	}
	if one.level == 0 {
		r.note(one.module, line)
	}
	for i, t := range rest[1:] {
		before := rest[i].text
		if before == "as" || t.text != "*" && !t.isName() || t.text == "as" {
			continue
		}
		one.names = append(one.names, t.text)
		if one.level > 0 {
			continue
		}
		full := one.module + "." + t.text
		r.note(full, t.line)
		bound := t.text
		if after := rest[i+2:]; len(after) > 1 && after[0].text == "as" {
			bound = after[1].text
		}
		r.known[bound] = full
	}
	r.imports = append(r.imports, one)
}

// dotted reads a.b.c at the beginning of tokens; "" if there is no name.
func dotted(tokens []pyToken) (name string, rest []pyToken) {
	if len(tokens) == 0 || !tokens[0].isName() {
		return "", tokens
	}
	name, rest = tokens[0].text, tokens[1:]
	for len(rest) > 1 && rest[0].text == "." && rest[1].isName() {
		name, rest = name+"."+rest[1].text, rest[2:]
	}
	return name, rest
}

// uses notes what a statement does with imported things and built-in functions.
func (r *pyReader) uses(tokens []pyToken) {
	for i := 0; i < len(tokens); i++ {
		before, after := "", tokens[i+1:]
		if i > 0 {
			before = tokens[i-1].text
		}
		if !tokens[i].isName() || before == "." || before == "def" || before == "class" {
			continue
		}
		name, line := tokens[i].text, tokens[i].line
		switch full, imported := r.known[name]; {
		case imported:
			rest, left := dotted(tokens[i:])
			r.note(full+strings.TrimPrefix(rest, name), line)
			i = len(tokens) - len(left) - 1
		case slices.Contains(builtins, name) && !isKeyword(after):
			r.calls = note(r.calls, Finding{r.file, line, name})
		}
	}
}

// isKeyword reports whether what follows a name makes it a parameter's, as in f(name=1).
func isKeyword(after []pyToken) bool {
	return len(after) > 1 && after[0].text == "=" && after[1].text != "="
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
func (r *pyReader) note(full string, line int) {
	full = strings.TrimPrefix(full, "builtins.")
	found := Finding{r.file, line, full}
	if slices.Contains(builtins, full) {
		r.calls = note(r.calls, found)
		return
	}
	for rest := full; rest != ""; _, rest, _ = strings.Cut(rest, ".") {
		switch {
		case matchesAny(reads, rest):
			r.environment = note(r.environment, found)
			return
		case matchesAny(runs, rest):
			r.calls = note(r.calls, found)
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
