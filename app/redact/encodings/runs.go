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
