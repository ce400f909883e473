package bundle

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/python"
	"github.com/computclaw/airlock/app/redact"
)

// Facts are what a reviewer should know of a bundle. They contain no score and refuse nothing.
type Facts struct {
	Hosts        []string `json:"hosts,omitempty" about:"in its texts, without those that it asks for"`
	Imports      []string `json:"imports,omitempty" about:"modules that its Python imports"`
	Requirements []string `json:"requirements,omitempty" about:"lines of requirements.txt"`

	// Calls are Python's uses of functions that run code or programs, load native code or open
	// sockets. Environment are those of environment variables. What is the name. Unread says why
	// Python files could not be read further.
	Calls       []Finding `json:"calls,omitempty" about:"Python that runs code, native code or sockets"`
	Environment []Finding `json:"environment,omitempty" about:"Python that reads environment variables"`
	Unread      []Finding `json:"unread,omitempty" about:"why a Python file was not read to its end"`

	Secrets   []Finding `json:"secrets,omitempty" about:"what looks like a secret"`
	Invisible []Finding `json:"invisible,omitempty" about:"characters that can't be seen"`
	Mixed     []Finding `json:"mixed,omitempty" about:"words that mix alphabets"`
	Binary    []string  `json:"binary,omitempty" about:"files that are not text"`
}

// Finding is a line of a file.
type Finding struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
	What string `json:"what"`
}

func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.What) }

// Fact is one kind of facts, in words.
type Fact struct {
	Name   string // such as "Other hosts"
	Places []string
}

// All returns the kinds of which something was found, in reading order.
func (facts Facts) All() (all []Fact) {
	add := func(name string, most int, places []string) {
		if len(places) >= most {
			places = append(places[:most:most], fmt.Sprintf("Only the first %d are listed.", most))
		}
		if len(places) > 0 {
			all = append(all, Fact{name, places})
		}
	}
	add("Other hosts", maxNames, facts.Hosts)
	add("Like a secret", maxFindings, places(facts.Secrets))
	add("Runs or connects", maxFindings, places(facts.Calls))
	add("Environment", maxFindings, places(facts.Environment))
	add("Unread Python", maxFindings, places(facts.Unread))
	add("Invisible", maxFindings, places(facts.Invisible))
	add("Mixed alphabets", maxFindings, places(facts.Mixed))
	add("Not text", MaxFiles+1, facts.Binary)
	add("Imports", maxNames, facts.Imports)
	add("Packages", maxFindings, facts.Requirements)
	return all
}

func places(findings []Finding) (list []string) {
	for _, f := range findings {
		list = append(list, f.String())
	}
	return list
}

// How many of a kind are listed.
const (
	maxFindings = 100
	maxNames    = 1000 // of hosts and modules, each once
)

// Scan collects the facts. It reads each file once, in linear time. patterns finds likely secrets
// in a text; nil finds nothing.
func (b Bundle) Scan(patterns func(text string) []redact.Match) Facts {
	if patterns == nil {
		patterns = func(string) []redact.Match { return nil }
	}
	var facts Facts
	asked, hosts, imports := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, host := range b.Manifest.Hosts {
		asked[host.Name] = true
	}
	for _, f := range b.Files {
		if !utf8.Valid(f.Content) || bytes.IndexByte(f.Content, 0) >= 0 {
			facts.Binary = append(facts.Binary, f.Path)
			continue
		}
		text := string(f.Content)
		line, from := 1, 0
		for _, secret := range patterns(text) {
			if len(facts.Secrets) == maxFindings {
				break
			}
			line, from = line+strings.Count(text[from:secret.Start], "\n"), secret.Start
			facts.Secrets = note(facts.Secrets, Finding{f.Path, line, secret.Rule})
		}
		facts.scanCharacters(f.Path, text)
		addHosts(hosts, asked, text)
		if path.Base(f.Path) == "requirements.txt" {
			facts.Requirements = append(facts.Requirements, requirements(text)...)
		}
		if isPython(f) {
			facts.addPython(f.Path, python.Read(text), imports)
		}
	}
	maps.DeleteFunc(imports, func(module string, _ bool) bool { return b.hasModule(module) })
	facts.Hosts, facts.Imports = slices.Sorted(maps.Keys(hosts)), slices.Sorted(maps.Keys(imports))
	return facts
}

func (facts *Facts) addPython(file string, source python.Source, imports map[string]bool) {
	for _, one := range source.Imports {
		if top, _, _ := strings.Cut(one.Module, "."); one.Level == 0 && len(imports) < maxNames {
			imports[top] = true
		}
	}
	for _, use := range source.Calls {
		facts.Calls = note(facts.Calls, Finding{file, use.Line, use.Name})
	}
	for _, use := range source.Environment {
		facts.Environment = note(facts.Environment, Finding{file, use.Line, use.Name})
	}
	if source.Problem != "" {
		facts.Unread = note(facts.Unread, Finding{file, source.Line, source.Problem})
	}
}

// hasModule reports whether Python finds a top-level module in the bundle. A folder without
// __init__.py doesn't count: any other module of its name comes first.
func (b Bundle) hasModule(name string) bool {
	base := path.Join(path.Dir(b.Manifest.Entrypoint), name)
	_, file := b.File(base + ".py")
	_, folder := b.File(path.Join(base, "__init__.py"))
	return file || folder
}

func note(list []Finding, f Finding) []Finding {
	if len(list) == maxFindings || len(list) > 0 && list[len(list)-1] == f {
		return list
	}
	return append(list, f)
}

// scanCharacters notes what a reader can't see or may take for something else.
func (facts *Facts) scanCharacters(file, text string) {
	line := 0
	for content := range strings.Lines(text) {
		line++
		if isASCII(content) && strings.IndexFunc(strings.TrimRight(content, "\r\n"), isControl) < 0 {
			continue
		}
		for _, r := range content {
			if isControl(r) || r >= utf8.RuneSelf && app.IsInvisible(r) && !isJoiner(r) {
				facts.Invisible = note(facts.Invisible, Finding{file, line, codePoint(r)})
			}
		}
		for word := range strings.FieldsFuncSeq(content, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if isMixed(word) {
				facts.Mixed = note(facts.Mixed, Finding{file, line, app.Clip(word, 40)})
			}
		}
	}
}

func isControl(r rune) bool { return r != '\t' && r != '\n' && r != '\r' && (r < ' ' || r == 0x7f) }

// isJoiner are characters that emoji and some scripts are written with.
func isJoiner(r rune) bool { return r == 0x200c || r == 0x200d || r == 0xfe0e || r == 0xfe0f }

func codePoint(r rune) string {
	visible := app.VisibleText(string(r))
	return strings.Trim(visible, "[]")
}

// isMixed reports whether a word has Latin letters and others that can look the same.
func isMixed(word string) bool {
	latin, other := false, false
	for _, r := range word {
		latin = latin || unicode.Is(unicode.Latin, r)
		other = other || unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee)
	}
	return latin && other
}

// requirements are the lines of a requirements.txt. URLs, options and other lines stay unchanged.
func requirements(text string) (list []string) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" && len(list) < maxFindings {
			list = append(list, app.Clip(line, 200))
		}
	}
	return list
}
