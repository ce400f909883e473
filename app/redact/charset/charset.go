package charset

// ClassOf returns a table of a function of each byte.
func ClassOf(class func(byte) uint8) *[256]uint8 {
	t := new([256]uint8)
	for c := range t {
		t[c] = class(byte(c))
	}
	return t
}

// IsWord reports whether a byte is an ASCII letter, digit or underscore.
func IsWord(b byte) bool {
	return b == '_' || ('0' <= b && b <= '9') || ('a' <= b && b <= 'z') || ('A' <= b && b <= 'Z')
}

// HexDigit is the value of each byte as a hex digit, or -1.
var HexDigit = DigitTable("0123456789abcdef", "0123456789ABCDEF")

// DigitTable returns, for each byte, its place in one of the alphabets, or -1.
func DigitTable(alphabets ...string) (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for _, a := range alphabets {
		for i := range len(a) {
			t[a[i]] = int8(i)
		}
	}
	return t
}

// Digits of hex in either case, and letters and digits of ASCII.
const (
	HexDigits    = "0123456789abcdefABCDEF"
	Alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// UpperDigits are the hex digits in upper case.
const UpperDigits = "0123456789ABCDEF"

// The alphabets of Ascii85 and of Python's b85encode.
const (
	AlphabetA85 = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstu"
	AlphabetB85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
)

// Standard64 is the alphabet of base64.
const Standard64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// HighBits are those of eight bytes that no ASCII character has.
const HighBits = 0x8080808080808080

// MaxForeign is how many characters beyond U+00FF may stand one after the other in UTF-16 before it
// is taken for something else.
const MaxForeign = 8
