package swap

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// A value differs in length from its placeholder: a binary message would arrive broken, with the
// value in it.
func TestBinaryFormatsAreRefused(t *testing.T) {
	n := len(phA)
	for name, c := range map[string]struct{ media, body string }{
		"msgpack":              {"", "\x81\xa1k\xd9" + string([]byte{byte(n)}) + phA},
		"msgpack by its type":  {"application/x-msgpack", "k" + phA},
		"CBOR":                 {"application/cbor", phA},
		"protobuf by its type": {"application/x-protobuf", "\n" + phA},
		"gRPC-Web":             {"application/grpc-web+proto", phA},
		"a NUL byte":           {"application/octet-stream", "key\x00" + phA},
		"a part of a form": {"multipart/form-data; boundary=b",
			"--b\r\nContent-Disposition: form-data; name=f\r\n\r\n\x81\xa1k\xd9" + string([]byte{byte(n)}) + phA + "\r\n--b--\r\n"},
	} {
		req := request(t, "POST", "https://api.example.com/", c.body, "Content-Type", c.media)
		keys, err := atHome().FillRequest(home, req)
		var r *Refusal
		if !errors.As(err, &r) || r.Rule != RuleValue || r.Key != "A" || len(keys) > 0 {
			t.Errorf("%s: keys %v, error %v", name, keys, err)
		}
	}
}

func TestTextsThatOnlyLookBinaryAreSent(t *testing.T) {
	for name, c := range map[string]struct{ media, body string }{
		"a line":                 {"", "key: " + phA + "\r\n"},
		"YAML":                   {"application/yaml", "a:\n\tkey: \"" + phA + "\"\n"},
		"another number":         {"text/plain", "1" + fmt.Sprint(len(phA)) + ":" + phA},
		"other than ASCII":       {"text/plain; charset=utf-8", "Schlüssel → " + phA},
		"a binary body, no keys": {"application/msgpack", "\x81\xa1k\xa1v"},
		"bytes without a type":   {"application/octet-stream", "token=" + phA},
	} {
		req := request(t, "POST", "https://api.example.com/", c.body, "Content-Type", c.media)
		if _, err := atHome().FillRequest(home, req); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sent, err := io.ReadAll(req.Body)
		if want := strings.ReplaceAll(c.body, phA, secretA); err != nil || string(sent) != want {
			t.Errorf("%s: sent %q, want %q (%v)", name, sent, want, err)
		}
	}
}
