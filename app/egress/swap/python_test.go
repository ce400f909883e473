package swap

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// pythonEncoders print what Python's own encoders make of a text, as JSON.
const pythonEncoders = `
import base64, html, json, sys, urllib.parse, xml.sax.saxutils
import httpx, requests
out = []
for line in sys.stdin:
    v = bytes.fromhex(line).decode()
    b = v.encode()
    out.append({
        "repr": repr(v), "ascii": ascii(v), "bytes": repr(b), "in a list": repr([v, {v: v}]), "json": json.dumps(v),
        "json, raw": json.dumps(v, ensure_ascii=False),
        "json in json": json.dumps({"body": json.dumps({"k": v})}), "quote": urllib.parse.quote(v),
        "quote all": urllib.parse.quote(v, safe=""),
        "quote plus": urllib.parse.quote_plus(v), "urlencode": urllib.parse.urlencode({"k": v}),
        "twice": urllib.parse.quote(urllib.parse.quote(v, safe=""), safe=""),
        "html": html.escape(v), "html, no quotes": html.escape(v, quote=False), "xml": xml.sax.saxutils.escape(v),
        "xml attribute": xml.sax.saxutils.quoteattr(v)[1:-1],
        "hex": b.hex(), "HEX": b.hex().upper(), "b64": base64.b64encode(b).decode(),
        "b64 url": base64.urlsafe_b64encode(b).decode(),
        "b64 +1": base64.b64encode(b":" + b).decode(), "b64 +2": base64.b64encode(b"u:" + b).decode(),
        "requests": requests.Request("GET", "http://h/", params={"k": v}).prepare().url,
        "httpx": str(httpx.URL("http://h/", params={"k": v})),
        "requests basic": requests.auth._basic_auth_str("user", b),
        "form": requests.Request("POST", "http://h/", data={"k": v}).prepare().body,
    })
print(json.dumps(out))
`

func TestPythonsEncoders(t *testing.T) {
	values := []string{secretA, secretB, `it's "quoted" \ and / + = & <b> ? #`,
		"a line\nand\tanother\r\nline", "p\u00e4ssw\u00f6rd-with-\U0001F600-inside", "~!*()'-._$,;:@[]{}|^`%41 x"}
	command := exec.CommandContext(t.Context(), "/usr/bin/python3", "-c", pythonEncoders)
	var lines []string
	var all []Credential
	for _, value := range values {
		lines = append(lines, hex.EncodeToString([]byte(value)))
		all = append(all, credential("K"+lines[len(lines)-1], value, home.Host))
	}
	command.Stderr = os.Stderr
	command.Stdin = strings.NewReader(strings.Join(lines, "\n"))
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var texts []map[string]string
	if err := json.Unmarshal(out, &texts); err != nil {
		t.Fatal(err)
	}
	s := New(all)
	for i, value := range values {
		for name, text := range texts[i] {
			got := receive(t, s, text)
			placeholder := all[i].Placeholder
			small := strings.ToLower(got)
			if !strings.Contains(small, placeholder) && !strings.Contains(small, hex.EncodeToString([]byte(placeholder))) {
				t.Errorf("%s of %q: %q became %q", name, value, text, got)
			}
		}
	}
}
