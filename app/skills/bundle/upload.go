package bundle

import (
	"bytes"
	"strings"
)

// ReadUpload reads a skill from what a person chose in a browser: one zip file, or the files of a folder,
// whose paths begin with its name. No file of a folder is executable, since browsers don't tell. What is
// wrong with it is returned as Problems.
func ReadUpload(files []File) (Bundle, error) {
	if len(files) == 1 && !strings.Contains(files[0].Path, "/") {
		return ReadZip(bytes.NewReader(files[0].Content), int64(len(files[0].Content)))
	}
	t := newTree()
	for _, f := range files {
		if err := t.add(f.Path, false, bytes.NewReader(f.Content), -1); err != nil {
			return Bundle{}, err
		}
	}
	return t.bundle()
}
