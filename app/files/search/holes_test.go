package search

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// TestHoleCompressedInDatabases: a value that a program had compressed into a database, and one in a tar
// file of before POSIX or in UTF-32, had passed.
func TestHoleCompressedInDatabases(t *testing.T) {
	t.Parallel()
	row := func(blob string) []byte {
		return python(t, fmt.Sprintf(`import sqlite3, gzip, zlib, bz2, io, zipfile
def zipped(text):
    b = io.BytesIO()
    with zipfile.ZipFile(b, 'w', zipfile.ZIP_DEFLATED) as z: z.writestr('a', text)
    return b.getvalue()
c = sqlite3.connect('out')
c.execute('pragma page_size=1024')
c.execute('create table t(a, b, c)')
secret = b'%s'
for n in range(40): c.execute('insert into t values (?, ?, ?)', (n, 'x' * n * 60, %s))
c.commit()`, secret, blob))
	}
	packed := gzipped(t, []byte(strings.Repeat("x", 9999)+secret))
	for name, content := range map[string][]byte{
		"gzip":             row("gzip.compress(b'x' * 9999 + secret)"),
		"zlib":             row("zlib.compress(b'x' * 99 + secret)"),
		"zlib, fast":       row("zlib.compress(b'x' * 99 + secret, 1)"),
		"bzip2":            row("bz2.compress(b'x' * 99 + secret)"),
		"zip":              row("zipped(b'x' * 99 + secret)"),
		"gzip in zip":      row("zipped(gzip.compress(b'x' * 99 + secret))"),
		"zlib, long":       row("zlib.compress(bytes(i * i >> 5 & 255 for i in range(30000)) + secret)"),
		"behind a prefix":  row("b'\\x00v1' + zlib.compress(b'x' * 99 + secret)"),
		"tar before POSIX": oldTar("a.gz", packed),
		"UTF-32":           wide(secret, "%c\x00\x00\x00"),
		"UTF-32, other":    wide(secret, "\x00\x00\x00%c"),
	} {
		if r := result(t, content); len(r.Hits) == 0 || r.Unsearch != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, content := range map[string][]byte{
		"no value":        row("zlib.compress(b'x' * 99)"),
		"what is no zlib": row("b'x\\x9cx\\x9c\\x1f\\x8b\\x08PK\\x03\\x04' * 5"),
		"numbers":         append(wide(secret[:9], "%c\x00\x00\x00"), wide(secret[9:], "\x00\x00%c")...),
	} {
		if r := result(t, content); len(r.Hits) > 0 || r.Unsearch != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := result(t, row(fmt.Sprintf("zlib.compress(b'x' * %d)", testMost/30))); r.Unsearch == "" {
		t.Errorf("what unpacks to more than may be: %+v", r)
	}
}

func wide(text, format string) []byte {
	out := []byte{1}
	for _, c := range text {
		out = append(out, fmt.Sprintf(format, c)...)
	}
	return append(out, 1)
}

// oldTar makes a tar file as Unix V7 had it.
func oldTar(name string, content []byte) []byte {
	head := make([]byte, 512)
	copy(head, name)
	copy(head[100:], "0000644\x000000000\x000000000\x00")
	copy(head[124:], fmt.Sprintf("%011o %011o ", len(content), 0))
	copy(head[148:], "        ")
	sum := 0
	for _, b := range head {
		sum += int(b)
	}
	copy(head[148:], fmt.Sprintf("%06o\x00 ", sum))
	return append(append(head, content...), bytes.Repeat([]byte{0}, 512-len(content)%512+1024)...)
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

// TestHoleProbesCost: what only begins like compressed data took nothing from the budget. A database of 64 MiB
// that consists of such beginnings took the server a quarter of an hour.
func TestHoleProbesCost(t *testing.T) {
	t.Parallel()
	database := python(t, "import sqlite3; c=sqlite3.connect('out'); c.execute('create table t(a)'); c.commit()")
	for name, probe := range map[string]string{"zip": "PK\x03\x04", "gzip": "\x1f\x8b\x08", "bzip2": "BZh"} {
		content := append(bytes.Clone(database), strings.Repeat(probe, testMost/probeCost+1)...)
		if r := result(t, content); !strings.Contains(r.Unsearch, "unpacks to more") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	blocks := append(database, strings.Repeat("BZh91AY&SY", testMost/bzip2Cost+1)...)
	if r := result(t, blocks); !strings.Contains(r.Unsearch, "unpacks to more") {
		t.Errorf("blocks of bzip2: %+v", r)
	}
}

// TestHoleOverlappingCells: cells of a database may lie on one another, and each was written out. Pages of
// 64 KiB became gigabytes on the server's disk.
func TestHoleOverlappingCells(t *testing.T) {
	t.Parallel()
	const size, cells, at = 64 << 10, 4000, 9000
	page := make([]byte, size)
	copy(page, sqliteMagic)
	page[17] = 1          // 64 KiB
	page[100] = leafTable // behind the file's head
	binary.BigEndian.PutUint16(page[103:], cells)
	for n := range cells {
		binary.BigEndian.PutUint16(page[108+2*n:], at)
	}
	copy(page[at:], []byte{0x86, 0xb8, 0x3c, 1}) // a value of 105,532 bytes, 40,000 of them here; row 1
	r := result(t, append(page, make([]byte, size)...))
	if !strings.Contains(r.Unsearch, "unpacks to more") {
		t.Errorf("%+v", r)
	}
}
