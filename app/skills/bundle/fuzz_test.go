package bundle_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills/bundle"
)

// A zip file is refused with a problem, or its files are harmless and repacking them gives the same
// skill.
func FuzzReadZip(f *testing.F) {
	f.Add(pack(f, usual()...))
	f.Add(pack(f, usual(entry{name: "../x"})...))
	f.Add(pack(f, entry{name: "a/SKILL.md", content: front}, entry{name: "a/main.sh", content: "x", mode: 0o755}))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, packed []byte) {
		b, err := read(packed)
		if err != nil {
			if app.CodeOf(err) != app.CodeInvalidSkill {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		var again []entry
		for _, file := range b.Files {
			if !filepath.IsLocal(file.Path) || strings.Contains(file.Path, `\`) {
				t.Fatalf("path %q", file.Path)
			}
			e := entry{name: file.Path, content: string(file.Content)}
			if file.Executable {
				e.mode = 0o111
			}
			again = append(again, e)
		}
		same, err := read(pack(t, again...))
		if err != nil || same.Digest() != b.Digest() {
			t.Fatalf("packed again: %v, %s and %s", err, same.Digest(), b.Digest())
		}
	})
}

// Whatever stands in SKILL.md, reading ends with a skill or with problems that name it.
func FuzzReadSkillFile(f *testing.F) {
	f.Add(front)
	f.Add("---\nname: a\ndescription: b\nmetadata:\n  airlock.keys: [A, B]\n  airlock.input-schema: '{}'\n---\n")
	f.Add("---\na: &a {b: *a}\n---\n")
	f.Add("---\n? [x]\n: y\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		packed := pack(t, entry{name: "SKILL.md", content: text}, entry{name: "main.py"})
		b, err := bundle.ReadZip(bytes.NewReader(packed), int64(len(packed)))
		if err == nil && (b.Manifest.Name == "" || b.Manifest.Description == "" || b.Manifest.Entrypoint != "main.py") {
			t.Fatalf("%+v", b.Manifest)
		}
		if err != nil && app.CodeOf(err) != app.CodeInvalidSkill {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
