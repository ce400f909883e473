package executionview

// Redaction says what was masked in one channel of an execution, never its text.
type Redaction struct {
	Channel  string // stdout, stderr, error, result, prompt, answer, network
	Name     string // key of a known value, or its credential if it is NotGiven
	NotGiven bool   // to the execution: a value of another profile's credential, or an earlier one
	Rule     string // or of a secret's shape; if neither is set, the place could not be checked
	Encoding string // "" if it stood there as it is
	Count    int    // places
}
