package stdio

// maxAnswer is longer than any probe's answer, in bytes.
const maxAnswer = 1 << 20

// Answer keeps the output of a probe, and drops writes beyond maxAnswer.
type Answer struct{ kept []byte }

func (a *Answer) Write(p []byte) (int, error) {
	if len(a.kept)+len(p) <= maxAnswer {
		a.kept = append(a.kept, p...)
	}
	return len(p), nil
}

// Bytes is what was kept.
func (a *Answer) Bytes() []byte { return a.kept }
