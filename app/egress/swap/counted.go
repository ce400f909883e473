package swap

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// binaryTypes are parts of the names of media types in which a text's length stands before it.
var binaryTypes = []string{"msgpack", "messagepack", "cbor", "protobuf", "grpc", "bson", "avro", "thrift", "bencode",
	"bittorrent", "x-amz-ion", "php-serialized", "netstring"}

// binary refuses a placeholder in what is no text: the host would read the value in other characters. It
// also refuses one in a format that counts bytes, which others than JSON, XML and forms may be: a value
// has another length, so the host would get a broken message with the value in it.
func (o *outgoing) binary(text, media string, counts bool, at where) *Refusal {
	binary := isBinary(text, media)
	for _, h := range hits([]byte(text)) {
		if !binary && !(counts && countedBefore(text[:h.start], h.end-h.start)) {
			continue
		}
		c, refusal := o.swapper.judge(o.target, h, at)
		if refusal != nil {
			return refusal
		}
		if c != nil {
			return refuseCounted(c, at)
		}
	}
	return nil
}

// isBinary reports whether a body is no text, by its type or by its bytes.
func isBinary(text, media string) bool {
	for _, name := range binaryTypes {
		if strings.Contains(media, name) {
			return true
		}
	}
	return !isText(text)
}

// isText reports whether a text is UTF-8 without control characters, but for those of layout.
func isText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' || r == 0x7f
	})
}

// countedBefore reports whether a text ends with the length of what follows: as a byte behind the
// tag of a protobuf field, which both can be printable, or in digits as bencode, PHP and Redis write
// it.
func countedBefore(text string, length int) bool {
	if n := len(text); n >= 2 && int(text[n-1]) == length && text[n-2] == '\n' {
		return true
	}
	digits := strings.TrimRight(text, ":\"\r\n")
	number := strconv.Itoa(length)
	if digits == text || !strings.HasSuffix(digits, number) {
		return false
	}
	before := strings.TrimSuffix(digits, number)
	return before == "" || before[len(before)-1] < '0' || before[len(before)-1] > '9'
}
