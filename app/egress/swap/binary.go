package swap

import (
	"strings"
	"unicode/utf8"
)

var binaryTypes = []string{"msgpack", "messagepack", "cbor", "protobuf", "grpc", "bson", "avro", "thrift", "bencode",
	"bittorrent", "x-amz-ion", "php-serialized", "netstring"}

// refuseInBinary refuses a placeholder in binary data: the value's other length would break the
// message.
func (o *outgoing) refuseInBinary(text, media string, at where) *Refusal {
	if !isBinary(text, media) {
		return nil
	}
	for _, h := range findHits([]byte(text)) {
		c, refusal := o.swapper.judge(o.target, h, at)
		if refusal != nil {
			return refusal
		}
		if c != nil {
			return refuseBinary(c, at)
		}
	}
	return nil
}

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
