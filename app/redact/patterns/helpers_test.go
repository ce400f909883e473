package patterns

import (
	"fmt"
	"strings"
)

// fillIn fills in the random parts of an example: ⟨w36⟩ is 36 letters and digits; h hex, d digits,
// l small letters and digits, u capitals and digits, H capital hex, k Airlock's ids, c base32, b
// base64, s URL-safe base64, a letters. It returns the text and the secret in it, "" if none. pick
// returns a random number below n.
func fillIn(example string, pick func(n int) int) (text, secret string) {
	var b strings.Builder
	start := -1
	for rest := example; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "«"):
			start, rest = b.Len(), rest[len("«"):]
		case strings.HasPrefix(rest, "»"):
			secret, rest = b.String()[start:], rest[len("»"):]
		case strings.HasPrefix(rest, "⟨"):
			var class rune
			var n int
			inner, after, _ := strings.Cut(rest[len("⟨"):], "⟩")
			_, _ = fmt.Sscanf(inner, "%c%d", &class, &n)
			b.WriteString(random(alphabet(class), n, pick))
			rest = after
		default:
			b.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
	return b.String(), secret
}

func alphabet(class rune) string {
	const small, capital, digits = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	switch class {
	case 'h':
		return digits + "abcdef"
	case 'd':
		return digits
	case 'H':
		return digits + "ABCDEF"
	case 'k':
		return digits + "abcdefghjkmnpqrstvwxyz"
	case 'l':
		return digits + small
	case 'u':
		return digits + capital
	case 'c':
		return "234567" + capital
	case 'b':
		return digits + small + capital + "+/"
	case 's':
		return digits + small + capital + "-_"
	case 'a':
		return small + capital
	}
	return digits + small + capital
}

// random returns n characters, a digit first and a letter last where the alphabet has both.
func random(alphabet string, n int, pick func(n int) int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[pick(len(alphabet))]
	}
	if letters := min(26, len(alphabet)-10); n > 1 && letters > 0 {
		out[0], out[n-1] = alphabet[pick(6)], alphabet[10+pick(letters)]
	}
	return string(out)
}
