package encodings

import "github.com/computclaw/airlock/app/redact/charset"

// RunSet is a set of encodings whose texts go on in one alphabet.
type RunSet uint32

// The encodings of runs. Those of percent-encoding are one for each set of unreserved bytes.
const (
	RunBase64 RunSet = 1 << iota
	RunHex
	runPercentAll
	runBase32
	runPercent // and the following, one for each of unreserved

	LineBreak RunSet = 1 << 31 // not a run: the class of bytes with which a line break may begin
)

// Remainder says how many characters of a value a run is sure to have beyond what was found. A run
// may go on in another line as long as some are left, and not further, or it would swallow the
// ordinary text that follows. Other runs end with their line.
type Remainder struct{ Base64, Hex int }

// Max returns the larger of each.
func (l Remainder) Max(o Remainder) Remainder {
	return Remainder{max(l.Base64, o.Base64), max(l.Hex, o.Hex)}
}

// Crossing returns the encodings that go on in the next line.
func (l Remainder) Crossing() RunSet {
	var r RunSet
	if l.Base64 > 0 {
		r |= RunBase64
	}
	if l.Hex > 0 {
		r |= RunHex
	}
	return r
}

// RunsOf says, for each byte, in which encodings a run goes on with it. Nobody writes to it.
var RunsOf = classes()

func classes() [256]RunSet {
	var out [256]RunSet
	add := func(r RunSet, alphabet string) {
		for _, b := range []byte(alphabet) {
			out[b] |= r
		}
	}
	add(RunBase64, charset.Alphanumeric+"+/-_=")
	add(RunHex, charset.HexDigits)
	add(runPercentAll, "%"+charset.HexDigits)
	add(runBase32, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789=")
	add(LineBreak, "\r\n\\")
	for i, safe := range unreserved {
		add(runPercent<<i, charset.Alphanumeric+"%+"+safe)
	}
	return out
}
