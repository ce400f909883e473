package bundle

import (
	"errors"
	"io/fs"
	"os"
)

// ReadFolder reads a skill from a folder. Nothing outside of the folder is read. What is wrong with
// the skill is returned as Problems; other errors are about reading.
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
