package match

// MaxBefore is how much of a text EndsInEscape reads, in bytes: some escapes, each of which may be
// written as escapes.
const MaxBefore = maxEscape * maxEscape

// EndsInEscape reports whether a text ends in an escape that hex digits behind it go on with, as \u00,
// %2 and &#x do, as it is or once it is decoded, also twice. An end of just a backslash doesn't count,
// since after another one it is complete; nor does that of quoted-printable: an = stands before most
// values.
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

// isHalf reports whether a text is the beginning of an escape of which the rest may be hex digits, with
// what ends it.
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

// unescapeOnce reads each escape in a text in the likeliest way.
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
