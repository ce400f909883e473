package redact

import (
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBesideAnEscape: what is decoded is looked at with what stands around it. A value that stands
// there as it is stays plain text: it shows its last characters, nothing around it is masked with
// it, and people aren't told that it was encoded.
func TestBesideAnEscape(t *testing.T) {
	t.Parallel()
	for name, escape := range map[string]string{"backslash": `\u00e9 \n`, "percent": "100%25", "HTML": "a &amp; b",
		"quoted-printable": "=C3=A9", "Unicode form": "Ａ ﬁ"} {
		for _, c := range []struct{ form, want, encoding string }{
			{long, "[REDACTED...6789]", ""},
			{base64.StdEncoding.EncodeToString([]byte("user:" + long)), "[REDACTED]", "base64"},
		} {
			text := "GET https://h.example/api/v1/" + c.form + "/items?x=1 " + escape + "\n"
			want := "GET https://h.example/api/v1/" + c.want + "/items?x=1 " + escape + "\n"
			if c.encoding != "" { // the whole run that it is in
				want = "GET https://h.[REDACTED]?x=1 " + escape + "\n"
			}
			got, hits := of(long).Text(text)
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			if diff := cmp.Diff(Hits{{Name: "A", Encoding: c.encoding, Count: 1}}, hits); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
	got, hits, err := resultOf(of("18304421"), []byte(`[-118304421.5, "a\\n"]`))
	if err != nil || got.String() != `["-1[REDACTED].5","a\\n"]` || len(hits) != 1 || hits[0].Encoding != "" {
		t.Errorf("%s, %+v, %v", got, hits, err)
	}
}
