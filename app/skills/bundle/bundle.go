package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Limits of a bundle. A reader that meets one stops there.
const (
	MaxPacked    = 10 << 20 // bytes of a zip file
	MaxUnpacked  = 32 << 20 // bytes of all files
	MaxFiles     = 1000
	MaxPath      = 240 // bytes of a path
	MaxSkillFile = 256 << 10
)

// SkillFile is the file that makes a folder a skill.
const SkillFile = "SKILL.md"

// Bundle is a skill as its files say. It doesn't change once it was read.
type Bundle struct {
	Manifest     Manifest
	Instructions string   // SKILL.md without its frontmatter: Markdown
	Files        []File   // by path
	Ignored      []string // paths that were left out, such as .git and __pycache__
	Notes        []string // for people: what was read otherwise than they may think
}

// File is a regular file of a bundle.
type File struct {
	Path       string // relative, with slashes, clean
	Executable bool
	Content    []byte
}

// File returns the content of a file, and whether there is one of that path.
func (b Bundle) File(path string) ([]byte, bool) {
	for _, f := range b.Files {
		if f.Path == path {
			return f.Content, true
		}
	}
	return nil, false
}

// Digest identifies the bundle: "sha256:" and 64 hexadecimal digits. It is the SHA-256 of the line
// "airlock skill 1" and one line per file in the order of paths: mode (100644 or 100755), SHA-256
// of the content, length of the path in bytes and the path.
func (b Bundle) Digest() string {
	tree := sha256.New()
	_, _ = io.WriteString(tree, "airlock skill 1\n")
	for _, f := range b.Files {
		mode := "100644"
		if f.Executable {
			mode = "100755"
		}
		fmt.Fprintf(tree, "%s %x %d %s\n", mode, sha256.Sum256(f.Content), len(f.Path), f.Path)
	}
	return "sha256:" + hex.EncodeToString(tree.Sum(nil))
}

// Size is the bytes of all files.
func (b Bundle) Size() (size int64) {
	for _, f := range b.Files {
		size += int64(len(f.Content))
	}
	return size
}
