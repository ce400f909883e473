package search

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
)

// testMost is enough for a bomb and little enough for a test, in bytes.
const testMost = 16 << 20

const secret = "kX9-vQ2_mTz7Lw4RbYc8Ns1Hd6Fj3Gp5"

func newSearch() *Search {
	red := redact.New([]secrets.Resolved{{Key: "API_KEY", Secret: app.NewSecret(secret)}})
	s := New(red)
	s.most = testMost
	return s
}

func result(t *testing.T, content []byte) Result {
	t.Helper()
	r, err := newSearch().File(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func zipped(t *testing.T, members map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range members {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Mode: 0o600}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// python runs a script that writes the file "out", as scripts in boxes do.
func python(t *testing.T, script string) []byte {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("python3", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	content, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestValueIsFoundInside(t *testing.T) {
	t.Parallel()
	sheet := []byte(`<worksheet><row><c t="inlineStr"><is><t>` + secret + `</t></is></c></row></worksheet>`)
	csv := []byte(strings.Repeat("id,key\n1,nothing\n", 5000) + "2," + secret + "\n")
	for name, content := range map[string][]byte{
		"bytes":             append([]byte{0, 1, 2}, secret...),
		"base64":            []byte("\x00" + base64.StdEncoding.EncodeToString([]byte("x:"+secret))),
		"UTF-16":            []byte("\xff\xfe" + strings.Join(strings.Split(secret, ""), "\x00") + "\x00"),
		"a cell of an xlsx": zipped(t, map[string][]byte{"[Content_Types].xml": []byte("<Types/>"), "xl/worksheets/sheet1.xml": sheet}),
		"a name in a zip":   zipped(t, map[string][]byte{secret + ".txt": []byte("x")}),
		"a nested zip":      zipped(t, map[string][]byte{"a.zip": zipped(t, map[string][]byte{"b.zip": zipped(t, map[string][]byte{"c.txt": csv})})}),
		"a gzip'd CSV":      gzipped(t, csv),
		"the second stream": append(gzipped(t, []byte("a")), gzipped(t, csv)...),
		"a tar.gz":          gzipped(t, tarred(t, "a.csv", csv)),
		"a zip by Python":   python(t, "import zipfile; z=zipfile.ZipFile('out','w',zipfile.ZIP_DEFLATED); z.writestr('a','b'*9999+'"+secret+"'); z.close()"),
		"an SQLite row":     python(t, "import sqlite3; c=sqlite3.connect('out'); c.execute('create table t(a)'); c.execute('insert into t values (?)',('"+secret+"',)); c.commit()"),
	} {
		r := result(t, content)
		if len(r.Hits) == 0 || r.Hits[0].Name != "API_KEY" || r.Unsearch != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestHoleL8ArchivesInAResultPass: archives are searched as artifacts only, not where they are returned or printed.
func TestHoleL8ArchivesInAResultPass(t *testing.T) {
	t.Parallel()
	archive := zipped(t, map[string][]byte{"xl/worksheets/sheet1.xml": []byte(strings.Repeat("<c/>", 99) + secret)})
	text := base64.StdEncoding.EncodeToString(archive)
	red := redact.New([]secrets.Resolved{{Key: "API_KEY", Secret: app.NewSecret(secret)}})
	clean, err := red.Execution(redact.Execution{Result: []byte(`"` + text + `"`), Stdout: redact.Output{Raw: []byte(text)}})
	if err != nil || clean.Result.String() != `"`+text+`"` || clean.Stdout.String() != text {
		t.Errorf("the text of an archive became %s, %s, %v", clean.Result, clean.Stdout, err)
	}
	if r := result(t, archive); len(r.Hits) == 0 || r.Hits[0].Name != "API_KEY" {
		t.Errorf("the same file as an artifact: %+v", r)
	}
}

func TestWhatHoldsNoValueIsNoFinding(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{
		"nothing":                    nil,
		"bytes":                      {0, 1, 2},
		"the beginning of a value":   append([]byte{0}, secret[:8]...),
		"a zip":                      zipped(t, map[string][]byte{"a": []byte(secret[:8])}),
		"a zip with nothing in it":   zipped(t, nil),
		"what only begins like gzip": []byte("\x1f\x8b"),
	} {
		if r := result(t, content); len(r.Hits) > 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestWhatCantBeSearchedIsSaid(t *testing.T) {
	t.Parallel()
	encrypted := zipped(t, map[string][]byte{"a": []byte("b")})
	encrypted[6] |= 1
	nested := []byte("x")
	for range maxDepth + 1 {
		nested = gzipped(t, nested)
	}
	many := map[string][]byte{}
	for i := range maxMembers + 1 {
		many[fmt.Sprint(i)] = nil
	}
	bomb := gzipped(t, make([]byte, testMost+1))
	for want, content := range map[string][]byte{
		"encrypted":                               encrypted,
		"nested more than 4 deep":                 nested,
		"more than 20000 members":                 zipped(t, many),
		"it unpacks to more than 16 MiB":          bomb,
		"a gzip file that is damaged":             bomb[:len(bomb)/2],
		"a zip file that is damaged":              zipped(t, map[string][]byte{"a": []byte("b")})[:35],
		"nested more than 4 deep\x00zip":          zipped(t, map[string][]byte{"a": nested}),
		"it unpacks to more than 16 MiB\x00twice": gzipped(t, bomb),
	} {
		want, _, _ = strings.Cut(want, "\x00")
		if r := result(t, content); !strings.Contains(r.Unsearch, want) {
			t.Errorf("%q: %+v", want, r)
		}
	}
}

func TestOneSearchHasOneBudget(t *testing.T) {
	t.Parallel()
	s := newSearch()
	part := gzipped(t, make([]byte, testMost*2/3))
	for i, want := range []bool{true, true, true, true, true, true, false} {
		r, err := s.File(bytes.NewReader(part))
		if err != nil || (r.Unsearch == "") != want {
			t.Errorf("file %d: %+v, %v", i, r, err)
		}
	}
}

func FuzzFile(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if _, err := newSearch().File(bytes.NewReader(content)); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkFile(b *testing.B) {
	content := make([]byte, 16<<20)
	for i := range content {
		content[i] = byte(i * i >> 7)
	}
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		if _, err := newSearch().File(bytes.NewReader(content)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestHoleArchivesBesideOtherData: what a program would find in a file and this search doesn't open is
// said, so that the file is withheld.
func TestHoleArchivesBesideOtherData(t *testing.T) {
	archive := zipped(t, map[string][]byte{"a.txt": []byte(secret)})
	harmless := zipped(t, map[string][]byte{"a.txt": []byte("hello")})
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte("hello")); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"a program with a zip file behind it": append([]byte("#!/usr/bin/env python3\n"), archive...),
		"two zip files":                       append(bytes.Clone(harmless), archive...),
		"gzip and zip":                        append(packed.Bytes(), archive...),
	} {
		if got := result(t, content); got.Unsearch == "" && got.Hits.Total() == 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for name, content := range map[string][]byte{
		"zip": harmless, "gzip": packed.Bytes(), "text": []byte("PK is a country code"),
		"zip in zip": zipped(t, map[string][]byte{"b.zip": harmless}),
	} {
		if got := result(t, content); got.Unsearch != "" || got.Hits.Total() != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestHoleBehindAZipFile: compressed data behind a zip file, or in its comment, was neither searched nor
// withheld.
func TestHoleBehindAZipFile(t *testing.T) {
	t.Parallel()
	archive, more := zipped(t, map[string][]byte{"a.txt": []byte("hello")}), gzipped(t, []byte(secret))
	commented := func(comment []byte) []byte {
		out := bytes.Clone(archive)
		out[len(out)-2], out[len(out)-1] = byte(len(comment)), byte(len(comment)>>8)
		return append(out, comment...)
	}
	for name, content := range map[string][]byte{
		"gzip behind it": append(bytes.Clone(archive), more...), "its comment": commented(more),
		"bytes behind it": append(bytes.Clone(archive), 1, 2, 3), "a comment and more": append(commented([]byte("x")), 'y'),
	} {
		if r := result(t, content); r.Unsearch == "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, content := range map[string][]byte{"no comment": archive, "a comment": commented([]byte("made by hand\n"))} {
		if r := result(t, content); r.Unsearch != "" || len(r.Hits) > 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := result(t, commented([]byte(secret))); len(r.Hits) == 0 {
		t.Errorf("a value in the comment: %+v", r)
	}
}
