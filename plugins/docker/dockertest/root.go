package dockertest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Root returns a root directory as a tar file, made of this host's packages. It has Python, a
// shell, the locale C.UTF-8, and their libraries.
func Root(more ...string) ([]byte, error) {
	files, err := packageFiles(append(more, "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib",
		"python3-minimal", "coreutils", "dash", "libc-bin")...)
	if err != nil {
		return nil, err
	}
	libraries, err := neededBy(files)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, name := range []string{"bin", "lib", "lib64", "sbin"} {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: "usr/" + name,
			Mode: 0o777}); err != nil {
			return nil, err
		}
	}
	all := append(files, libraries...)
	for _, dir := range directories(all) { // a rootless engine opens those that aren't named to nobody else
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir, Mode: 0o755}); err != nil {
			return nil, err
		}
	}
	for _, path := range all {
		if err := addFile(w, path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return buf.Bytes(), w.Close()
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

func directories(files []string) []string {
	seen := map[string]bool{"./": true}
	for _, path := range files {
		if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			for ; real != "/"; real = filepath.Dir(real) {
				seen[strings.TrimPrefix(real, "/")+"/"] = true
			}
		}
	}
	return sorted(seen)
}

// packageFiles lists what Debian packages installed below /usr, without documentation.
func packageFiles(packages ...string) ([]string, error) {
	out, err := exec.Command("dpkg", append([]string{"-L"}, packages...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("list files of packages: %w", err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		path := strings.TrimSpace(line)
		dir, err := filepath.EvalSymlinks(filepath.Dir(path)) // /bin is /usr/bin
		if err != nil || !strings.HasPrefix(dir+"/", "/usr/") || strings.HasPrefix(dir+"/", "/usr/share/") {
			continue
		}
		path = filepath.Join(dir, filepath.Base(path))
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			seen[path] = true
		}
		for _, compiled := range compiledFrom(path) {
			seen[compiled] = true
		}
	}
	return sorted(seen), nil
}

// compiledFrom lists the compiled files of a Python module that Debian's packages make. Without
// them every box would compile its imports.
func compiledFrom(path string) []string {
	name, module := strings.CutSuffix(filepath.Base(path), ".py")
	if !module {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "__pycache__", name+".cpython-???.pyc"))
	return found
}

var libraryPath = regexp.MustCompile(`/[^\s()]+`)

// neededBy lists the libraries that programs and libraries are linked with.
func neededBy(files []string) ([]string, error) {
	seen := map[string]bool{}
	for batch := range slices.Chunk(slices.DeleteFunc(slices.Clone(files), notELF), 50) {
		out, _ := exec.Command("ldd", batch...).Output() // fails for a file that is static
		for line := range strings.Lines(string(out)) {
			if !strings.HasPrefix(line, "\t") {
				continue
			}
			if path := libraryPath.FindString(line); path != "" {
				seen[path] = true
			}
		}
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("ldd found no libraries")
	}
	// The same library may go by two paths.
	named := map[string]bool{}
	for path := range seen {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return nil, err
		}
		named[filepath.Join(dir, filepath.Base(path))] = true
	}
	for _, path := range files {
		delete(named, path)
	}
	return sorted(named), nil
}

func notELF(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err != nil || string(magic[:]) != "\x7fELF"
}

// addFile adds a library by its link's target, and everything else as it is.
func addFile(w *tar.Writer, path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	link := ""
	if info.Mode()&os.ModeSymlink != 0 {
		if strings.Contains(path, ".so") {
			info, err = os.Stat(path)
		} else {
			link, err = os.Readlink(path)
		}
		if err != nil {
			return err
		}
	}
	header, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return err
	}
	header.Name = strings.TrimPrefix(path, "/")
	header.Uname, header.Gname, header.Uid, header.Gid = "", "", 0, 0
	if err := w.WriteHeader(header); err != nil || link != "" {
		return err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

func sorted(set map[string]bool) []string {
	var list []string
	for key := range set {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}
