package bundle_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills/bundle"
)

const front = "---\nname: count-rows\ndescription: Counts the rows of a table.\n---\nCall it with a CSV.\n"

type entry struct {
	name    string
	content string
	mode    fs.FileMode
	change  func(*zip.FileHeader)
}

func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		header.SetMode(0o644 | e.mode)
		if e.change != nil {
			e.change(header)
		}
		f, err := w.CreateHeader(header)
		if err == nil {
			_, err = f.Write([]byte(e.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(packed []byte) (bundle.Bundle, error) {
	return bundle.ReadZip(bytes.NewReader(packed), int64(len(packed)))
}

func usual(more ...entry) []entry {
	return append([]entry{{name: "SKILL.md", content: front}, {name: "main.py", content: "print(1)\n"}}, more...)
}

func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		full := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFolderAndZipAreTheSameSkill(t *testing.T) {
	fromZip, err := read(pack(t, usual(entry{name: "data/rates.csv", content: "a,b\n"}, entry{name: "empty/"})...))
	if err != nil {
		t.Fatal(err)
	}
	fromFolder, err := bundle.ReadFolder(folder(t, map[string]string{
		"SKILL.md": front, "main.py": "print(1)\n", "data/rates.csv": "a,b\n",
		".git/HEAD": "ref", "__pycache__/main.pyc": "compiled"}))
	if err != nil {
		t.Fatal(err)
	}
	wrapped, err := read(pack(t, entry{name: "count-rows/"}, entry{name: "count-rows/SKILL.md", content: front},
		entry{name: "count-rows/main.py", content: "print(1)\n"}, entry{name: "count-rows/data/rates.csv", content: "a,b\n"}))
	if err != nil {
		t.Fatal(err)
	}
	if fromZip.Digest() != fromFolder.Digest() || wrapped.Digest() != fromZip.Digest() {
		t.Errorf("digests %s, %s and %s", fromZip.Digest(), fromFolder.Digest(), wrapped.Digest())
	}
	if got := fmt.Sprint(fromFolder.Ignored); got != "[.git __pycache__]" {
		t.Errorf("left out %s", got)
	}
	if fromZip.Instructions != "Call it with a CSV.\n" {
		t.Errorf("instructions %q", fromZip.Instructions)
	}
}

// The digest is part of manifests and approvals: it must never come out otherwise.
func TestDigestOfKnownFiles(t *testing.T) {
	b := bundle.Bundle{Files: []bundle.File{{Path: "a.sh", Executable: true, Content: []byte("x")}, {Path: "b", Content: nil}}}
	// printf 'airlock skill 1\n100755 %s 4 a.sh\n100644 %s 1 b\n' "$(printf x|sha256sum|cut -c-64)"
	// \
	//   "$(sha256sum </dev/null|cut -c-64)" | sha256sum
	const want = "sha256:f4feb70bc46fe49f983fa7199d803adbc2fbe8bb131f0c02b97334567f134efd"
	if got := b.Digest(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
	changed := b
	changed.Files = append([]bundle.File{}, b.Files...)
	changed.Files[0].Executable = false
	if changed.Digest() == b.Digest() {
		t.Error("the mode bit is not part of the digest")
	}
}

func TestZipFilesThatAreRefused(t *testing.T) {
	long := strings.Repeat("a", bundle.MaxPath+1)
	many := make([]entry, 0, bundle.MaxFiles+1)
	for i := range bundle.MaxFiles + 1 {
		many = append(many, entry{name: fmt.Sprintf("f%d", i)})
	}
	for name, test := range map[string]struct {
		entries []entry
		want    string // begins the message
	}{
		"slip":              {usual(entry{name: "../../etc/cron.d/x"}), "../../etc/cron.d/x: The path leads out"},
		"slip inside":       {usual(entry{name: "a/../../x"}), "a/../../x: The path leads out"},
		"absolute":          {usual(entry{name: "/etc/passwd"}), "/etc/passwd: The path leads out"},
		"backslash":         {usual(entry{name: `..\x`}), `..\x: The path has a backslash`},
		"dot":               {usual(entry{name: "./x"}), "./x: The path has empty or superfluous"},
		"two slashes":       {usual(entry{name: "a//x"}), "a//x: The path has empty or superfluous"},
		"no name":           {usual(entry{name: ""}), "A path has 1 to"},
		"long name":         {usual(entry{name: long}), strings.Repeat("a", 30)},
		"line break":        {usual(entry{name: "a\nb"}), "a\nb: The path has characters that can't be seen"},
		"reversed":          {usual(entry{name: "a\u202eyp.x"}), "a[U+202E]yp.x: The path has characters that can't be seen"},
		"not UTF-8":         {usual(entry{name: "a\xff"}), "a�: The zip file doesn't say how the name is encoded"},
		"twice":             {usual(entry{name: "main.py", content: "other"}), "main.py: The name is in the bundle twice"},
		"case":              {usual(entry{name: "Main.py"}), "Main.py: The name is that of main.py, but for case"},
		"folded":            {usual(entry{name: "stra\u00dfe"}, entry{name: "STRASSE"}), "STRASSE: The name is that of straße"},
		"composed":          {usual(entry{name: "é"}, entry{name: "e\u0301"}), "e\u0301: The name is that of é"},
		"case of a folder":  {usual(entry{name: "data/x"}, entry{name: "Data/y"}), "Data/y: The name is that of data,"},
		"file and folder":   {usual(entry{name: "x"}, entry{name: "x/y"}), "x/y: The name is in the bundle twice"},
		"folder and file":   {usual(entry{name: "x/y"}, entry{name: "x"}), "x: The name is in the bundle twice"},
		"symbolic link":     {usual(entry{name: "l", content: "/etc/passwd", mode: fs.ModeSymlink}), "l: A symbolic link is not a file"},
		"device":            {usual(entry{name: "d", mode: fs.ModeDevice}), "d: A device is not a file"},
		"pipe":              {usual(entry{name: "p", mode: fs.ModeNamedPipe}), "p: A pipe, a socket or the like is not a file"},
		"encrypted":         {usual(entry{name: "e", change: func(h *zip.FileHeader) { h.Flags |= 1 }}), "e: The file is encrypted"},
		"many files":        {usual(many...), "The bundle has more than 1000 files"},
		"no SKILL.md":       {[]entry{{name: "main.py"}}, "SKILL.md: The bundle has no SKILL.md"},
		"SKILL.md too deep": {[]entry{{name: "a/b/SKILL.md", content: front}, {name: "x"}}, "SKILL.md: The bundle has no SKILL.md"},
		"nothing":           {nil, "SKILL.md: The bundle has no SKILL.md"},
		"nothing to run":    {[]entry{{name: "SKILL.md", content: front}}, "The skill has nothing to run"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, pack(t, test.entries...), test.want) })
	}
}

func refused(t *testing.T, packed []byte, want string) {
	t.Helper()
	_, err := read(packed)
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s…", err, want)
	}
	var told *app.Error
	if !errors.As(err, &told) || told.Code != app.CodeInvalidSkill || told.Hint == "" {
		t.Errorf("an agent is told %#v", told)
	}
}

func TestHundredThousandEntriesAreRefused(t *testing.T) {
	entries := make([]entry, 100_000)
	for i := range entries {
		entries[i] = entry{name: fmt.Sprint(i), change: func(h *zip.FileHeader) { h.Method = zip.Store }}
	}
	packed := pack(t, entries...)
	want := "The zip file has 100000 entries"
	if len(packed) > bundle.MaxPacked {
		want = "The zip file has 1"
	}
	refused(t, packed, want)
}

func TestAZipBombIsNotUnpacked(t *testing.T) {
	zeros := strings.Repeat("\x00", bundle.MaxUnpacked)
	refused(t, pack(t, usual(entry{name: "zeros", content: zeros})...), "zeros: The bundle unpacks to more than")
	honest := pack(t, usual(entry{name: "zeros", content: zeros[:1<<20]})...)
	refused(t, resized(t, honest, "zeros", 10<<30-1<<32*2), "zeros: The bundle unpacks to more than")
}

// resized changes the size that the directory of a zip file declares.
func resized(t *testing.T, packed []byte, name string, size uint32) []byte {
	t.Helper()
	changed := bytes.Clone(packed)
	for at := 0; ; {
		next := bytes.Index(changed[at:], []byte("PK\x01\x02"))
		if next < 0 {
			t.Fatalf("no entry %s", name)
		}
		at += next
		if bytes.HasPrefix(changed[at+46:], []byte(name)) {
			binary.LittleEndian.PutUint32(changed[at+24:], size)
			return changed
		}
		at += 4
	}
}

func TestDeclaredSizesThatLie(t *testing.T) {
	packed := pack(t, usual(entry{name: "x", content: "0123456789"})...)
	for _, size := range []uint32{0, 9, 11, 1 << 20} {
		refused(t, resized(t, packed, "x", size), "x: The file")
	}
}

func TestBrokenZipFiles(t *testing.T) {
	whole := pack(t, usual()...)
	damaged := bytes.Clone(whole)
	damaged[bytes.Index(damaged, []byte("main.py"))+10] ^= 0xff
	for name, packed := range map[string][]byte{
		"empty": nil, "text": []byte("not a zip"), "cut": whole[:len(whole)/2], "gzip": []byte("\x1f\x8b\x08\x00"),
		"large": make([]byte, bundle.MaxPacked+1), "damaged": damaged,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := read(packed); app.CodeOf(err) != app.CodeInvalidSkill {
				t.Errorf("%v", err)
			}
		})
	}
}

// zip64 writes sizes into an extra field; such files are read as others are.
func TestZip64(t *testing.T) {
	packed := pack(t, usual(entry{name: "x", content: "0123456789"})...)
	at := bytes.LastIndex(packed, []byte("PK\x01\x02"))
	extra := []byte{1, 0, 8, 0, 10, 0, 0, 0, 0, 0, 0, 0} // size 10
	nameEnd := at + 46 + int(binary.LittleEndian.Uint16(packed[at+28:]))
	out := append(bytes.Clone(packed[:nameEnd]), extra...)
	end := len(out)
	out = append(out, packed[nameEnd:]...)
	binary.LittleEndian.PutUint32(out[at+24:], 0xffffffff)
	had := binary.LittleEndian.Uint16(out[at+30:])
	binary.LittleEndian.PutUint16(out[at+30:], had+uint16(len(extra)))
	eocd := end + bytes.Index(out[end:], []byte("PK\x05\x06"))
	binary.LittleEndian.PutUint32(out[eocd+12:], binary.LittleEndian.Uint32(out[eocd+12:])+uint32(len(extra)))
	b, err := read(out)
	if err != nil {
		t.Fatal(err)
	}
	if content, _ := b.File("x"); string(content) != "0123456789" {
		t.Errorf("read %q", content)
	}
}

func TestFoldersThatAreRefused(t *testing.T) {
	dir := folder(t, map[string]string{"SKILL.md": front, "main.py": ""})
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.ReadFolder(dir); err == nil || !strings.HasPrefix(err.Error(), "link: A symbolic link is not a file") {
		t.Errorf("%v", err)
	}
	if _, err := bundle.ReadFolder(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// Two dots within a name lead nowhere.
func TestNamesWithDots(t *testing.T) {
	if _, err := read(pack(t, usual(entry{name: "notes..md"}, entry{name: "...", content: "x"})...)); err != nil {
		t.Error(err)
	}
}
