package bubblewrap

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/plugins/roots"
)

const tmpDir = "/tmp"

// replaceRoots replaces the runtime's roots with airlock-init's bundle, for programs that ignore
// their environment. A directory with a replaced file is remade of links to the bundle and the
// original. OpenSSL looks there for single certificates.
func (l *layout) replaceRoots(root string) {
	bundle, store := path.Join(tmpDir, roots.Bundle), path.Join(tmpDir, roots.JavaStore)
	replaced := map[string]string{ // path: target; OpenSSL's defaults, also where a distribution has none there
		"/etc/ssl/certs/ca-certificates.crt": bundle, "/etc/ssl/cert.pem": bundle,
	}
	if isDir(filepath.Join(root, "/etc/pki/tls/certs")) {
		replaced["/etc/pki/tls/cert.pem"] = bundle
	}
	if isDir(filepath.Join(root, "/usr/lib/ssl")) {
		replaced["/usr/lib/ssl/cert.pem"] = bundle
	}
	system := ""
	for _, pattern := range roots.Files() {
		matches, _ := filepath.Glob(filepath.Join(root, pattern)) // the patterns are well-formed
		for _, match := range matches {
			file := strings.TrimPrefix(match, strings.TrimSuffix(root, "/"))
			if !l.hides(file) {
				replaced[file] = bundle
				if system == "" {
					system = file
				}
			}
		}
	}
	if _, err := os.Stat(filepath.Join(root, roots.JavaFile)); err == nil {
		replaced[roots.JavaFile] = store
	}
	moved := map[string]string{}
	for file := range replaced {
		moved[path.Dir(file)] = ""
	}
	for i, dir := range sortedKeys(moved) {
		moved[dir] = path.Join(path.Dir(roots.System), strconv.Itoa(i))
	}
	if _, ok := replaced["/usr/lib/ssl/cert.pem"]; ok {
		replaced["/usr/lib/ssl/certs"] = moved["/etc/ssl/certs"]
	}
	for _, dir := range sortedKeys(moved) {
		l.remake(root, dir, moved[dir], replaced)
	}
	for _, file := range sortedKeys(replaced) {
		l.made = append(l.made, [2]string{replaced[file], file})
	}
	if system != "" {
		l.made = append(l.made, [2]string{path.Join(moved[path.Dir(system)], path.Base(system)), roots.System})
	}
}

// maxLinks is how many entries of a directory are linked. Hundreds of certificates would slow down
// each box.
const maxLinks = 40

// remake plans a directory of links to its content, except for replaced files.
func (l *layout) remake(root, dir, original string, replaced map[string]string) {
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		return // the runtime has no such directory
	}
	inRoot := true // of the box, which is writable until it is complete
	visible := strings.HasPrefix(dir, "/usr/")
	for i := 0; i < len(l.binds); i++ {
		switch bound := l.binds[i][1]; {
		case bound == dir:
			l.binds = slices.Delete(l.binds, i, i+1)
			i--
			visible = true
		case strings.HasPrefix(dir, bound+"/"):
			visible, inRoot = true, false
		}
	}
	if !visible {
		return // nothing of it was in the box
	}
	l.binds = append(l.binds, [2]string{filepath.Join(root, dir), original})
	if !inRoot || strings.HasPrefix(dir, "/usr/") {
		l.remade = append(l.remade, dir)
	}
	if len(entries) > maxLinks {
		return
	}
	for _, entry := range entries {
		file := path.Join(dir, entry.Name())
		holds := func(other string) bool { return other == file || strings.HasPrefix(other, file+"/") }
		if !slices.ContainsFunc(sortedKeys(replaced), holds) {
			l.made = append(l.made, [2]string{path.Join(original, entry.Name()), file})
		}
	}
}

func (l *layout) hides(file string) bool {
	return slices.ContainsFunc(l.covered, func(dir string) bool { return strings.HasPrefix(file, dir+"/") })
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
