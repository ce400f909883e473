package swap

import (
	"slices"
	"strings"

	"github.com/computclaw/airlock/app/match"
)

// outgoing is the work on one request.
type outgoing struct {
	swapper *Swapper
	target  Target
	used    []string // keys whose values were put in
	size    int      // of all values that were put in, in bytes
}

// maxValues bounds all values put into one request, in bytes: a short text could repeat a long
// value.
const maxValues = 1 << 20

// fit returns a value as written at a place, or why it can't stand there.
type fit func(value string, at int) (text, why string)

// replace puts values in for placeholders. It calls fit for ascending places.
func (o *outgoing) replace(text string, at where, fit fit) (string, *Refusal) {
	var b strings.Builder
	from := 0
	for _, h := range findHits([]byte(text)) {
		h.exact = h.exact && h.start >= from // placeholders that overlap are none
		c, refusal := o.swapper.judge(o.target, h, at)
		if refusal != nil {
			return "", refusal
		}
		if c == nil {
			continue
		}
		value, why := fit(valueOf(c), h.start)
		if match.EndsInEscape([]byte(text[max(0, h.start-match.MaxBefore):h.start])) {
			// The receiver would read digits of the value as part of the escape.
			why = "an escape is begun before it"
		}
		if why != "" {
			return "", refuseValue(c, at, why)
		}
		if o.size += len(value); o.size > maxValues {
			return "", refuseTooLarge(c.Key)
		}
		b.WriteString(text[from:h.start])
		b.WriteString(value)
		from = h.end
		o.noteUse(c.Key)
	}
	if from == 0 {
		return text, nil
	}
	b.WriteString(text[from:])
	return b.String(), nil
}

func (o *outgoing) forbid(text, name string) *Refusal {
	_, refusal := o.replace(text, where{text: name}, nil)
	return refusal
}

func (o *outgoing) noteUse(key string) {
	if !slices.Contains(o.used, key) {
		o.used = append(o.used, key)
	}
}
