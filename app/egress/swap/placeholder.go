package swap

import "encoding/base32"

// Prefix begins every placeholder; PlaceholderLength is its length in bytes. The rest is a to z and
// 2 to 7, which read the same in URLs, JSON, forms, cookies, Basic and shells.
const (
	Prefix            = "airlock_sealed_"
	PlaceholderLength = len(Prefix) + tailLength
)

const (
	tailAlphabet = "abcdefghijklmnopqrstuvwxyz234567"
	tailLength   = 32 // 160 bits
	macBytes     = tailLength * 5 / 8
)

// Placeholder returns the placeholder of an HMAC's first 20 bytes. mac: at least 20 bytes.
func Placeholder(mac []byte) string {
	return Prefix + base32.NewEncoding(tailAlphabet).WithPadding(base32.NoPadding).EncodeToString(mac[:macBytes])
}
