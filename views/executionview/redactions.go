package executionview

// Redaction describes masking in one channel, never the text.
type Redaction struct {
	Channel  string // stdout, stderr, error, result, prompt, answer, network
	Name     string // known value's key, or credential if NotGiven
	NotGiven bool   // to the execution: another profile's value, or an earlier one
	Rule     string // or a secret's shape; with neither set, the place was uncheckable
	Encoding string // "" if it stood there as it is
	Count    int    // places
}
