package wire

import "io"

// Limits of the files that a script gets, and of those that it leaves.
const (
	MaxFileBytes = 64 << 20 // of all together
	MaxFiles     = 100

	// MaxProblems is how many uncollectable entries are reported. MaxEntries is how many are
	// examined.
	MaxProblems = 100
	MaxEntries  = 100_000
)

// Where a script finds its files, and leaves others, below the directory in which it begins.
const (
	FilesDir = ".airlock/files"
	OutDir   = ".airlock/out"
)

// File is a file that a script gets.
type File struct {
	Name string `json:"name"`
	Size int64  `json:"size"` // bytes
}

// Artifact is a frame of an artifacts stream. Without a Problem, Size bytes of content follow it.
// The last frame of a complete stream has the Problem LastArtifact.
type Artifact struct {
	Name    []byte          `json:"name"` // as the script chose it
	Size    int64           `json:"size"` // bytes
	Problem ArtifactProblem `json:"problem,omitempty"`
}

// ArtifactProblem says why an entry is not collected.
type ArtifactProblem string

// The problems.
const (
	ProblemDirectory  ArtifactProblem = "directory"
	ProblemLink       ArtifactProblem = "link"
	ProblemSpecial    ArtifactProblem = "special"    // a device, pipe or socket
	ProblemUnreadable ArtifactProblem = "unreadable" // the script took its own right to read it
	ProblemLarge      ArtifactProblem = "large"      // with the others more than MaxFileBytes
	ProblemMany       ArtifactProblem = "many"       // more than MaxFiles; Size is how many more, and there is no name
)

// LastArtifact is the Problem of the frame behind the last entry.
const LastArtifact ArtifactProblem = "none are left"

// Valid reports whether p is one of the problems, or "" for none.
func (p ArtifactProblem) Valid() bool {
	switch p {
	case "", ProblemDirectory, ProblemLink, ProblemSpecial, ProblemUnreadable, ProblemLarge, ProblemMany:
		return true
	}
	return false
}

// ReadArtifact reads the frame before an artifact's content. It returns io.EOF after the last one.
func ReadArtifact(r io.Reader) (Artifact, error) {
	var a Artifact
	err := read(r, MaxSmallFrame, &a)
	return a, err
}
