package secrets

// Purpose is one use of a key, with its own subkey.
type Purpose string

// The purposes.
const (
	Values       Purpose = "values"       // credential values
	Placeholders Purpose = "placeholders" // what scripts hold instead of sealed values
	Scripts      Purpose = "scripts"      // scripts and inputs of executions
	Profiles     Purpose = "profiles"     // profile ids
	Execs        Purpose = "execs"        // execution ids
	Blobs        Purpose = "blobs"        // keys of contents in the storage, and their names
	Settings     Purpose = "settings"     // instance settings that hold secrets
)
