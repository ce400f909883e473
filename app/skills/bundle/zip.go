package bundle

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// ReadZip reads a skill from a zip file of size bytes, at most MaxPacked. Faults are returned as
// Problems.
func ReadZip(file io.ReaderAt, size int64) (Bundle, error) {
	if size > MaxPacked {
		return Bundle{}, bad("", "Leave out what the skill doesn't need to run.", "The zip file has %s, more than %s.",
			app.ApproxSize(size), app.FormatSize(MaxPacked))
	}
	archive, err := zip.NewReader(file, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // such paths are refused with their names
		return Bundle{}, bad("", "Send a zip file.", "This isn't a readable zip file: %v.", err)
	}
	if len(archive.File) > 2*MaxFiles { // folders have entries too
		return Bundle{}, bad("", "Leave out what the skill doesn't need to run.",
			"The zip file has %d entries; a skill has at most %d files.", len(archive.File), MaxFiles)
	}
	t := newTree()
	for _, f := range archive.File {
		if err := t.addZipped(f); err != nil {
			return Bundle{}, err
		}
	}
	return t.bundle()
}

func (t *tree) addZipped(f *zip.File) error {
	const isEncrypted = 1 // general purpose bit flag 0, APPNOTE.TXT 4.4.4
	name, folder := strings.CutSuffix(f.Name, "/")
	switch {
	case f.NonUTF8 && !isASCII(f.Name):
		return bad(strings.ToValidUTF8(f.Name, "�"), "Pack it with a tool that writes names in UTF-8.",
			"The zip file doesn't say how the name is encoded.")
	case f.Flags&isEncrypted != 0:
		return bad(name, "Pack it without a password.", "The file is encrypted.")
	case folder:
		if f.UncompressedSize64 != 0 {
			return bad(name, "Pack it again.", "A folder has no content.")
		}
		return t.addFolder(name)
	case !f.Mode().IsRegular():
		return bad(name, "Put the file itself in its place.", "%s is not a file.", describe(f.Mode()))
	}
	if f.UncompressedSize64 > MaxUnpacked {
		return bad(name, "Leave out data, and pass it to each run as a file instead.",
			"The bundle unpacks to more than %s.", app.FormatSize(MaxUnpacked))
	}
	content, err := f.Open()
	if err != nil {
		return bad(name, "Pack it with the usual deflate method.", "The file can't be unpacked: %v.", err)
	}
	defer content.Close()
	return t.add(name, f.Mode()&0o111 != 0, content, int64(f.UncompressedSize64))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// describe names what stands where a file should.
func describe(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "A symbolic link"
	case mode&fs.ModeDevice != 0:
		return "A device"
	default:
		return "A pipe, a socket or the like"
	}
}

// WriteZip writes the files as a zip file, which ReadZip reads to the same digest.
func (b Bundle) WriteZip(w io.Writer) error {
	archive := zip.NewWriter(w)
	for _, f := range b.Files {
		header := zip.FileHeader{Name: f.Path, Method: zip.Deflate}
		header.SetMode(0o644)
		if f.Executable {
			header.SetMode(0o755)
		}
		out, err := archive.CreateHeader(&header)
		if err != nil {
			return fmt.Errorf("bundle: zip %s: %w", f.Path, err)
		}
		if _, err := out.Write(f.Content); err != nil {
			return fmt.Errorf("bundle: zip %s: %w", f.Path, err)
		}
	}
	return archive.Close()
}
