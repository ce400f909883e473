package bundle

import (
	"bytes"
	"strings"
)

// ReadUpload reads a skill from a browser's upload: one zip file, or a folder's files with paths
// below its name. A folder's files aren't executable, since browsers don't tell. Faults are
// returned as Problems.
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
