package bundle

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app/python"
)

// Needs are what the entrypoint requires besides Python and the files of the bundle.
type Needs struct {
	Modules  []string `json:"modules,omitempty"`  // that it imports, without what is below them
	Packages []string `json:"packages,omitempty"` // distributions of requirements.txt, as NormalName writes them
}

// maxNeeds is how many of each are kept.
const maxNeeds = 200

// Needs follows the imports of a Python entrypoint through the bundle. Indented ones don't count,
// since they may be optional. Names of requirements.txt, at the top or beside
// the entrypoint, count without versions; lines with a condition don't.
func (b Bundle) Needs() Needs {
	own, modules, packages := b.moduleNames(), map[string]bool{}, map[string]bool{}
	if b.Manifest.Language == Python {
		f := importFollower{bundle: b, root: path.Dir(b.Manifest.Entrypoint), seen: map[string]bool{}, found: modules}
		f.follow(b.Manifest.Entrypoint)
	}
	maps.DeleteFunc(modules, func(name string, _ bool) bool { return own[name] })
	for _, folder := range []string{".", path.Dir(b.Manifest.Entrypoint)} {
		text, _ := b.File(path.Join(folder, "requirements.txt"))
		for _, line := range requirements(string(text)) {
			if name := requiredName(line); name != "" && !own[strings.ReplaceAll(name, "-", "_")] {
				packages[name] = true
			}
		}
	}
	return Needs{limitNeeds(modules), limitNeeds(packages)}
}

// moduleNames are all names that the bundle's modules could have, at any path. A script may change
// where Python looks.
func (b Bundle) moduleNames() map[string]bool {
	names := map[string]bool{}
	for _, f := range b.Files {
		for part := range strings.SplitSeq(strings.TrimSuffix(f.Path, ".py"), "/") {
			names[part] = true
		}
	}
	return names
}

func limitNeeds(names map[string]bool) []string {
	sorted := slices.Sorted(maps.Keys(names))
	return sorted[:min(len(sorted), maxNeeds)]
}

// requirement is a line of requirements.txt that begins with a name (PEP 508). It has no condition.
var requirement = regexp.MustCompile(`^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*` +
	`(?:\[[^\]]*\]\s*)?(?:[<>=!~@(,][^;]*)?$`)

func requiredName(line string) string {
	if match := requirement.FindStringSubmatch(line); match != nil {
		return NormalName(match[1])
	}
	return ""
}

var separators = regexp.MustCompile(`[-_.]+`)

// NormalName is a distribution's name as all spellings of it are compared (PEP 503).
func NormalName(name string) string { return separators.ReplaceAllString(strings.ToLower(name), "-") }

type importFollower struct {
	bundle Bundle
	root   string // where Python looks for the bundle's modules
	seen   map[string]bool
	found  map[string]bool // modules that are imported
}

func (f *importFollower) follow(file string) {
	content, ok := f.bundle.File(file)
	if !ok || f.seen[file] {
		return
	}
	f.seen[file] = true
	for _, one := range python.Read(string(content)).Imports {
		if !one.AtTop {
			continue
		}
		folder := f.root
		if one.Level > 0 {
			folder = path.Dir(file)
			for range one.Level - 1 {
				folder = path.Dir(folder)
			}
		} else if top, _, _ := strings.Cut(one.Module, "."); top != "" {
			f.found[top] = true
		}
		f.module(folder, one)
	}
}

// module follows into the files that an import runs, if they are in the bundle.
func (f *importFollower) module(folder string, one python.Import) {
	for part := range strings.FieldsFuncSeq(one.Module, func(r rune) bool { return r == '.' }) {
		folder = path.Join(folder, part)
		f.follow(folder + ".py")
		f.follow(path.Join(folder, "__init__.py"))
	}
	for _, name := range one.Names {
		f.follow(path.Join(folder, name+".py"))
		f.follow(path.Join(folder, name, "__init__.py"))
	}
}
