package redact

import (
	"bytes"
	"strings"
)

// ruleStream masks what rules find in text that comes in pieces. It sees text in which known
// values are masked already, and holds back what may yet become a match.
type ruleStream struct {
	ahead func(text string) (found []Match, open int)
	text  string // the last of what was given out, which rules look at, too, and what is held back
	done  int    // bytes of text that were given out
	more  []byte // came since rules looked
}

const (
	maxPending       = 8 << 10 // bytes that are held back at most
	beside           = 64      // bytes before a match that rules look at
	maxWord          = 1 << 10 // bytes of a word of which the beginning is known
	growthBeforeLook = 16      // what is held back is looked at again when it has grown by this part of it
)

// take returns the text that can be given out; last says that no more follows.
func (s *ruleStream) take(text string, last bool, t *tally) string {
	s.more = append(s.more, text...)
	if !last && s.tooSoon() {
		return ""
	}
	s.text += string(s.more)
	s.more = s.more[:0]
	found, open := s.ahead(s.text)
	if last || len(s.text)-max(open, s.done) > maxPending {
		open = len(s.text)
	}
	var b strings.Builder
	for _, m := range found {
		if m.End <= s.done || m.Start >= open {
			continue
		}
		b.WriteString(s.text[s.done:max(m.Start, s.done)])
		b.WriteString(maskPlain)
		t.count(Hit{Rule: m.Rule}, true)
		s.done = m.End
	}
	if open > s.done {
		b.WriteString(s.text[s.done:open])
		s.done = open
	}
	s.forget()
	return b.String()
}

// tooSoon reports whether too little has come for another look. To look at everything that is held
// back for each byte takes time that grows with its square, so a script that writes byte by byte
// would keep the server busy. The end of the first line is what most rules wait for.
func (s *ruleStream) tooSoon() bool {
	held := s.text[s.done:]
	firstLineEnds := bytes.IndexByte(s.more, '\n') >= 0 && strings.IndexByte(held, '\n') < 0
	return len(s.more) < len(held)/growthBeforeLook && !firstLineEnds
}

// forget drops what rules no longer look at. What is left begins with a word, or else its
// middle would look like a beginning.
func (s *ruleStream) forget() {
	n := s.done - beside
	if n <= 0 {
		return
	}
	from := strings.LastIndexAny(s.text[max(0, n-maxWord):n], " \t\n\"'=:,") + 1
	if from > 0 {
		n = max(0, n-maxWord) + from
	} else if n < maxWord {
		return
	}
	s.text, s.done = strings.Clone(s.text[n:]), s.done-n
}
