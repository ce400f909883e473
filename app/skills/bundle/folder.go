package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// ReadFolder reads a skill from a folder, and nothing outside of it. Problems are faults of the
// skill; other errors are about reading.
func ReadFolder(folder string) (b Bundle, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return Bundle{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	t := newTree()
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case d.IsDir() && isIgnored(name):
			t.ignored = append(t.ignored, name)
			return fs.SkipDir
		case d.IsDir():
			return t.addFolder(name)
		case !d.Type().IsRegular():
			return bad(name, "Put the file itself in its place.", "%s is not a file.", describe(d.Type()))
		}
		return t.addOpened(root, name)
	})
	if err != nil {
		return Bundle{}, err
	}
	return t.bundle()
}

// WriteFolder writes the files into a folder, which is new or empty.
func (b Bundle) WriteFolder(folder string) (err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // as any tool that unpacks
		return err
	}
	if inside, err := os.ReadDir(folder); err != nil || len(inside) > 0 {
		return errors.Join(err, fmt.Errorf("the folder %s is not empty", folder))
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range b.Files {
		mode := fs.FileMode(0o644)
		if f.Executable {
			mode = 0o755
		}
		if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(f.Path, f.Content, mode); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) addOpened(root *os.Root, name string) (err error) {
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return t.add(name, info.Mode()&0o111 != 0, file, -1)
}
