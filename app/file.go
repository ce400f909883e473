package app

import "time"

// FilePrefix begins the id of a file. The id is no token: reading needs the profile too.
const FilePrefix = "file_"

// NewFileID returns the id of a new file (130 bits).
func NewFileID() string { return FilePrefix + randomText(26) }

// IsFileID reports whether s has the shape of a file's id.
func IsFileID(s string) bool { return hasShape(s, FilePrefix) }

// Limits of files, in bytes and numbers, for inputs and artifacts alike.
const (
	MaxFileBytes = 64 << 20 // of one file, and of all of one execution
	MaxFiles     = 100      // of one execution
	MaxFileName  = 255      // bytes

	DefaultFilesQuota     = 1 << 30 // bytes kept of one profile
	DefaultFilesRetention = 7       // days

	// MinKeptBytes is the least that a content counts: a disk block, and rows.
	MinKeptBytes = 4 << 10

	// MaxListedFiles is how many files GET /files lists.
	MaxListedFiles = 1000

	// UnusedFileLife is how long a file waits for its first execution.
	UnusedFileLife = 24 * time.Hour
)

// KeptBytes returns what a content counts towards its profile's quota.
func KeptBytes(size int64) int64 { return max(size, MinKeptBytes) }

// File is a file that an agent sent for its scripts.
type File struct {
	ID        string
	Name      string
	Size      int64  // bytes
	SHA256    string // hex
	CreatedAt time.Time
	ExpiresAt time.Time
}

// InputFile is a file as an execution gets it.
type InputFile struct {
	Name   string // by which the script knows it
	FileID string
	Size   int64  // bytes
	SHA256 string // hex
	Kept   bool   // its content is still there
}

// Artifact is a redacted file that a script left.
type Artifact struct {
	Name      string
	Size      int64     // bytes of what is kept, or that the script left if that was withheld
	SHA256    string    // of what is kept, hex; "" if it was withheld
	Type      string    // media type, guessed from the content
	Masked    int       // places in a text
	Withheld  string    // why its content is not kept, one sentence; "" if it was
	Key       string    // whose value the content or the name holds, if that is why
	ExpiresAt time.Time // of the content
	Kept      bool      // the content is there
}
