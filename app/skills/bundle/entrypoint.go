package bundle

import (
	"path"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Language is what an entrypoint is written in.
type Language string

// The languages that a skill can be run in, where the backend has them.
const (
	Python Language = "python"
	Shell  Language = "shell"
	Node   Language = "node"
)

// languageOf returns the language of a file by its name, or "" if it can't be run.
func languageOf(name string) Language {
	switch path.Ext(name) {
	case ".py":
		return Python
	case ".sh":
		return Shell
	case ".js", ".mjs", ".cjs":
		return Node
	}
	return ""
}

// entrypoints lists default names in order of search, at the top and then in scripts. Skillbox does
// the same.
var entrypoints = []string{"main.py", "run.py", "main.js", "main.sh"}

func (r *manifestReader) entrypoint(b *Bundle) (string, Language) {
	const hint = "Name it with airlock.entrypoint under metadata, or call it main.py, main.sh or main.js."
	wanted := r.language()
	if f := r.fields[ownPrefix+"entrypoint"]; f.text != "" {
		clean := path.Clean(f.text)
		shown := app.VisibleText(app.Clip(f.text, 100))
		switch language := languageOf(clean); {
		case path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../"):
			r.bad(f, hint, "The entrypoint %s is outside the bundle.", shown)
		case language == "":
			r.bad(f, hint, "The entrypoint %s is not a .py, .sh or .js file.", shown)
		case wanted != "" && wanted != language:
			r.bad(f, hint, "The entrypoint %s is not written in %s.", shown, wanted)
		default:
			if _, ok := b.File(clean); ok {
				return clean, language
			}
			r.bad(f, hint, "The entrypoint %s is not in the bundle.", shown)
		}
		return "", ""
	}
	for _, folder := range []string{"", "scripts"} {
		for _, name := range entrypoints {
			full, language := path.Join(folder, name), languageOf(name)
			if _, ok := b.File(full); ok && (wanted == "" || wanted == language) {
				return full, language
			}
		}
	}
	r.problems = append(r.problems, Problem{Message: "The skill has nothing to run.", Hint: hint})
	return "", ""
}

func (r *manifestReader) language() Language {
	f := r.fields["lang"]
	names := map[string]Language{"": "", "python": Python, "python3": Python, "node": Node, "nodejs": Node,
		"javascript": Node, "js": Node, "bash": Shell, "sh": Shell, "shell": Shell}
	language, ok := names[strings.ToLower(f.text)]
	if !ok {
		r.bad(f, "Use python, node or bash.", "Airlock doesn't run %s.", app.VisibleText(app.Clip(f.text, 50)))
	}
	return language
}
