package bundle

import (
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/computclaw/airlock/app"
)

// ignored are names of files and folders that tools leave behind. A reviewer can't read compiled
// Python.
var ignored = []string{".git", ".DS_Store", "__MACOSX", "__pycache__", "Thumbs.db"}

type tree struct {
	files   []File
	ignored []string
	seen    map[string]entry // by folded path, folders included
	size    int64
}

type entry struct {
	path   string
	folder bool
}

func newTree() *tree { return &tree{seen: map[string]entry{}} }

// add reads a file of the bundle. declared is the size that its source names, or -1.
func (t *tree) add(name string, executable bool, content io.Reader, declared int64) error {
	if isIgnored(name) {
		t.ignored = append(t.ignored, name)
		return nil
	}
	if err := t.claim(name, false); err != nil {
		return err
	}
	if len(t.files) == MaxFiles {
		return bad("", "Leave out what the skill doesn't need to run.", "The bundle has more than %d files.", MaxFiles)
	}
	data, err := io.ReadAll(io.LimitReader(content, MaxUnpacked-t.size+1))
	t.size += int64(len(data))
	switch {
	case t.size > MaxUnpacked:
		return bad(name, "Leave out data, and pass it to each run as a file instead.",
			"The bundle unpacks to more than %s.", app.FormatSize(MaxUnpacked))
	case err != nil:
		return bad(name, "Pack it again.", "The file can't be unpacked: %v.", err)
	case declared >= 0 && declared != int64(len(data)):
		return bad(name, "Pack it again.", "The file has %d bytes; the zip file says %d.", len(data), declared)
	}
	t.files = append(t.files, File{Path: name, Executable: executable, Content: data})
	return nil
}

// addFolder notes an explicitly named folder. An empty one is no part of the bundle.
func (t *tree) addFolder(name string) error {
	if isIgnored(name) {
		return nil
	}
	return t.claim(name, true)
}

func (t *tree) claim(name string, folder bool) error {
	if err := checkPath(name); err != nil {
		return err
	}
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		part, isFolder := name[:i], folder || i < len(name)
		key := fold(part)
		other, known := t.seen[key]
		switch {
		case !known:
			t.seen[key] = entry{part, isFolder}
		case other.path != part:
			return bad(name, "Rename one of them.", "The name is that of %s, but for case or for how accents are written.",
				app.VisibleText(other.path))
		case !other.folder || !isFolder:
			return bad(name, "Pack it again.", "The name is in the bundle twice.")
		}
	}
	return nil
}

// fold maps names to the same text if macOS or Windows takes them for one.
func fold(name string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(name))) }

func checkPath(name string) error {
	const hint = "Use relative paths with slashes, without .. and without control characters."
	switch {
	case name == "" || len(name) > MaxPath:
		return bad(name, hint, "A path has 1 to %d bytes; this one has %d.", MaxPath, len(name))
	case !utf8.ValidString(name):
		return bad(strings.ToValidUTF8(name, "�"), hint, "The path is not valid UTF-8.")
	case strings.ContainsFunc(name, app.IsInvisible):
		return bad(name, hint, "The path has characters that can't be seen.")
	case strings.Contains(name, `\`):
		return bad(name, hint, "The path has a backslash.")
	case path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), ".."):
		return bad(name, hint, "The path leads out of the bundle.")
	case path.Clean(name) != name:
		return bad(name, hint, "The path has empty or superfluous parts.")
	}
	return nil
}

func isIgnored(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if slices.Contains(ignored, part) {
			return true
		}
	}
	return false
}

// bundle makes a bundle of the collected files. It removes a single folder around everything, which
// most packing tools add.
func (t *tree) bundle() (Bundle, error) {
	t.unwrap()
	slices.SortFunc(t.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	b := Bundle{Files: t.files, Ignored: t.ignored}
	problems := b.read()
	if len(problems) > 0 {
		return Bundle{}, problems
	}
	return b, nil
}

func (t *tree) unwrap() {
	if len(t.files) == 0 {
		return
	}
	top, _, _ := strings.Cut(t.files[0].Path, "/")
	for _, f := range t.files {
		if !strings.HasPrefix(f.Path, top+"/") {
			return
		}
	}
	for i := range t.files {
		t.files[i].Path = strings.TrimPrefix(t.files[i].Path, top+"/")
	}
}
