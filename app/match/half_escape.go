package match

// MaxBefore is how many bytes of a text EndsInEscape reads: several nested escapes.
const MaxBefore = maxEscape * maxEscape

// EndsInEscape reports whether following hex digits would continue an escape that ends the text.
// Examples: \u00, %2 and &#x, plain or decoded up to twice. A lone backslash doesn't count: after
// another one it is complete. Neither does =: it stands before most values.
func EndsInEscape(text []byte) bool {
	text = text[max(0, len(text)-MaxBefore):]
	for range maxDepth {
		if endsInEscape(text) {
			return true
		}
		text = unescapeOnce(text)
	}
	return endsInEscape(text)
}

func endsInEscape(text []byte) bool {
	for at := max(0, len(text)-maxEscape); at < len(text); at++ {
		if rest := text[at:]; isLead(rest[0]) && rest[0] != '=' && string(rest) != `\` && isHalf(rest) {
			return true
		}
	}
	return false
}

// isHalf reports whether hex digits and a terminator could complete the text to an escape.
func isHalf(text []byte) bool {
	r := readings{wide: true}
	for _, rest := range []string{"00000041", "0041_", "041_", "41_", "1_", "41}", "101", "#41;", "amp;"} {
		r.read(append(text[:len(text):len(text)], rest...))
		for _, v := range r.all() {
			if int(v.n) > len(text) {
				return true
			}
		}
	}
	return false
}

// unescapeOnce reads each escape in the likeliest way.
func unescapeOnce(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for at := 0; at < len(text); {
		r := readings{wide: true}
		if isLead(text[at]) && text[at] != '=' {
			r.read(text[at:])
		}
		if v := r.likeliest(); v.n > 0 {
			out = append(out, v.bytes()...)
			at += int(v.n)
			continue
		}
		out = append(out, text[at])
		at++
	}
	return out
}
