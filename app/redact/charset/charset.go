package charset

// IsWord reports whether a byte is an ASCII letter, digit or underscore.
func IsWord(b byte) bool {
	return b == '_' || ('0' <= b && b <= '9') || ('a' <= b && b <= 'z') || ('A' <= b && b <= 'Z')
}
