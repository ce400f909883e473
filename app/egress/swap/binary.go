package swap

import (
	"strings"
	"unicode/utf8"
)

var binaryTypes = []string{"msgpack", "messagepack", "cbor", "protobuf", "grpc", "bson", "avro", "thrift", "bencode",
	"bittorrent", "x-amz-ion", "php-serialized", "netstring"}

// fitBinary refuses every value: its other length would break the message.
func fitBinary(string, int) (text, why string) { return "", "the body is in a binary format" }

// isBinary reports whether type or bytes show that a body is no text.
func isBinary(text, media string) bool {
	for _, name := range binaryTypes {
		if strings.Contains(media, name) {
			return true
		}
	}
	return !isText(text)
}

// isText reports whether a text is UTF-8 without control characters other than layout.
func isText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' || r == 0x7f
	})
}
