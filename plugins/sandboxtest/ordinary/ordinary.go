// Package ordinary holds small programs that do what scripts usually do, one file each. They use
// the standard library, popular packages and command-line tools as in any other place, and know
// nothing of the box.
//
// The first comment line says what the program does. The lines "# name: value" after it:
//
//	needs: node, numpy     programs, modules and paths without which there is nothing to try
//	except landlock: …     a sentence of that backend's page that says why the program fails there
//
// A program checks its own results and ends with set_result("works").
package ordinary

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed *.py
var files embed.FS

// Works is the result of every program.
const Works = `"works"`

// Missing begins the JSON result of a program whose requirements the runtime lacks.
const Missing = `"missing `

// Program is one ordinary program.
type Program struct {
	Name   string // of the file, without .py
	Title  string // what it does
	Script string
	Except map[string]string // by backend: why it fails there
}

// Programs returns all programs by name.
func Programs() ([]Program, error) {
	names, err := fs.Glob(files, "*.py")
	if err != nil {
		return nil, err
	}
	var programs []Program
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p, err := parse(strings.TrimSuffix(name, ".py"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		programs = append(programs, p)
	}
	return programs, nil
}

func parse(name, text string) (Program, error) {
	first, rest, _ := strings.Cut(text, "\n")
	title, ok := strings.CutPrefix(first, "# ")
	if !ok {
		return Program{}, fmt.Errorf("the first line must say what the program does")
	}
	p := Program{Name: name, Title: title, Script: text, Except: map[string]string{}}
	for line := range strings.Lines(rest) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "# ")
		if !ok {
			break
		}
		field, value, _ := strings.Cut(comment, ": ")
		backend, isException := strings.CutPrefix(field, "except ")
		switch {
		case isException:
			p.Except[backend] = value
		case field == "needs":
			// in place of the first line, so that lines keep their numbers
			p.Script = fmt.Sprintf(look, quoted(strings.Split(value, ", "))) + "\n" + rest
		default:
			return Program{}, fmt.Errorf("field %q is not known", field)
		}
	}
	return p, nil
}

// look ends a program that lacks something.
const look = `for n in [%s]: (__import__("os").path.exists(n) or __import__("shutil").which(n) ` +
	`or __import__("importlib.util").util.find_spec(n)) or (set_result("missing " + n), exit())`

func quoted(names []string) string {
	for i, name := range names {
		names[i] = strconv.Quote(name)
	}
	return strings.Join(names, ", ")
}
