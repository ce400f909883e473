package redact

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"
)

// pythonForms of the interpreter itself, as scripts print them.
const printForms = `
import base64, json, sys, urllib.parse as u, binascii
def forms(s):
    b = s.encode()
    yield from (s, repr(s), ascii(s), repr(b), repr([s, 1]), repr({"k": s}), f"{s!r}")
    yield from (json.dumps(s), json.dumps(s, ensure_ascii=False), json.dumps({s: [s]}, indent=1))
    yield from (u.quote(s), u.quote(s, safe=""), u.quote_plus(s), u.urlencode({"a": s}), u.quote(b, safe="/:@"[:0]))
    yield from (b.hex(), b.hex().upper(), binascii.hexlify(b).decode(), "".join(f"%{c:02x}" for c in b))
    for n in range(4):
        for f in (base64.b64encode, base64.urlsafe_b64encode):
            yield f(b"." * n + b + b"!" * n).decode()
    try:
        raise ValueError("bad: " + s)
    except ValueError as e:
        yield from (repr(e), str(e))
    yield str(KeyError(s))
json.dump([list(forms(s)) for s in json.load(sys.stdin)], sys.stdout)
`

// TestPythonForms asks the real interpreter for the forms of nasty secrets; each must be masked so
// that neither the form nor half of the secret is left.
func TestPythonForms(t *testing.T) {
	t.Parallel()
	secrets := []string{
		long, "p@ss/wörd+<x>&y=z", `it's "quoted" \ back`, "only 'single' quotes", `only "double" quotes`,
		"tab\there and\nnew line",
		"emoji 😀 and € and ß", "control \x01\x1f\x7f bytes", "nbsp\u00a0sep\u2028zero\u200bwidth", "percent % sign %41",
		"combining e\u0301 x",
		"private \ue000 use", "backslash-n \\n literal", "{\"type\": \"service_account\"}",
		"semi;comma,amp&plus+tilde~star*",
	}
	in, err := json.Marshal(secrets)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/usr/bin/python3", "-c", printForms)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var forms [][]string
	if err := json.Unmarshal(out, &forms); err != nil {
		t.Fatal(err)
	}
	for i, secret := range secrets {
		r := of(secret)
		for _, form := range forms[i] {
			got, hits := maskText(r, form)
			if hits == 0 {
				t.Errorf("%q is not found in %q", secret, form)
			}
			for _, part := range unmasked(got.String()) {
				if len(part) >= 20 {
					t.Errorf("%q in %q leaves %q", secret, form, part)
				}
			}
			if how := detect(got.String(), secret); how != "" {
				t.Errorf("%q in %q became %q; found as %s", secret, form, got, how)
			}
		}
	}
}
