package dockertest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// rootScript packs what the packages in its arguments installed below /usr, without documentation,
// but with compiled Python and with all libraries. A library goes by its links and by its file.
// Directories are named, because a rootless engine opens others to nobody else.
const rootScript = `
merged() {
	sed -E 's#^/(bin|sbin|lib|lib64)/#/usr/\1/#' | grep -E '^/(usr|etc/alternatives)/' | grep -v '^/usr/share/'
}
follow() {
	while [ -L "$1" ]; do
		echo "$1"
		case $(readlink "$1") in
		/*) set -- "$(readlink "$1")" ;;
		*) set -- "${1%/*}/$(readlink "$1")" ;;
		esac
	done
	echo "$1"
}
packages=$(dpkg -L "$@") || exit 1
files=$(echo "$packages" | merged | while read -r f; do
	if [ -L "$f" ] || [ -f "$f" ]; then echo "$f"; fi
	name=${f##*/}
	for c in "${f%/*}/__pycache__/${name%.py}".cpython-*.pyc; do if [ -f "$c" ]; then echo "$c"; fi; done
done)
libraries=$(echo "$files" | grep -E '/s?bin/|\.so' | xargs ldd 2>/dev/null | grep '^	' | grep -o '/[^ ()]*' | sort -u |
	merged | while read -r f; do follow "$f"; done | merged)
all=$(printf '%s\n' "$files" "$libraries" | sort -u)
above=$(echo "$all" | awk -F/ '{ p = ""; for (i = 2; i < NF; i++) print p = p "/" $i }' | sort -u)
printf '.%s\n' / /bin /sbin /lib /lib64 $above $all | tar -C / --create --no-recursion --files-from=- --numeric-owner
`

// Root returns a root directory as a tar file, made of this host's packages. It has Python, a
// shell, the locale C.UTF-8, and their libraries.
func Root(more ...string) ([]byte, error) {
	packages := append(more, "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "python3-minimal",
		"coreutils", "dash", "libc-bin")
	var errs bytes.Buffer
	cmd := exec.Command("sh", append([]string{"-c", rootScript, "root"}, packages...)...)
	cmd.Stderr = &errs
	root, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("pack this host's packages: %w: %s", err, errs.String())
	}
	return root, nil
}

// File is what With adds to a root.
type File struct {
	Name string // without a slash in front; a directory's ends with one
	Mode int64
	Data []byte
}

// With is a root, a tar file, with more in it.
func With(root []byte, files ...File) ([]byte, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, f := range files {
		h := tar.Header{Name: f.Name, Mode: f.Mode, Size: int64(len(f.Data))}
		if strings.HasSuffix(f.Name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := w.Flush(); err != nil { // without the end mark: the root follows
		return nil, err
	}
	return append(buf.Bytes(), root...), nil
}

// Static builds a static program from this repository with go build or go test -c.
func Static(tb testing.TB, pkg string, command ...string) []byte {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "program")
	cmd := exec.Command("go", append(command, "-trimpath", "-o", path, pkg)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return program
}
