package stdio

// maxAnswer is more than any probe has to say, in bytes.
const maxAnswer = 1 << 20

// Answer keeps what a probe says and drops what is too long to be an answer.
type Answer struct{ kept []byte }

func (a *Answer) Write(p []byte) (int, error) {
	if len(a.kept)+len(p) <= maxAnswer {
		a.kept = append(a.kept, p...)
	}
	return len(p), nil
}

// Bytes is what was kept.
func (a *Answer) Bytes() []byte { return a.kept }
