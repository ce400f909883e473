package executionview

// Repeat is how a re-run stands beside the execution it repeats.
type Repeat struct {
	Handle     string // of that one
	Gone       bool   // it is not kept any more
	SameResult *bool  // nil until both have run to an end
	Differs    []string
}
