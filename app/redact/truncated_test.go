package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCutCodeEndsWithItsText: an encoded value that was cut off doesn't go on in a result, or in the
// next line.
func TestCutCodeEndsWithItsText(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(21, 22))
	var key strings.Builder
	key.WriteString("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n")
	for range 25 {
		key.WriteString(randomSecret(random, 64) + "\n")
	}
	key.WriteString("-----END PRIVATE KEY-----")
	for name, code := range map[string]string{
		"base64":           base64.StdEncoding.EncodeToString([]byte(key.String())),
		"base64 in lines":  wrap(base64.StdEncoding.EncodeToString([]byte(key.String())), 76, "\n"),
		"base64 of base64": base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(key.String())))),
		"hex":              hex.EncodeToString([]byte(key.String())),
	} {
		for _, n := range []int{200, 400, 401, 950} {
			const result = `{"n":1,"orders":["one","two",12345678],"total":297037.5}`
			out, err := of(key.String()).Execution(Execution{Stdout: Output{Raw: []byte(code[:n] + "\n")},
				Result: json.RawMessage(result)})
			if err != nil {
				t.Fatal(err)
			}
			if out.Result.String() != result || strings.Contains(out.Stdout.String(), code[n/2:n/2+20]) {
				t.Errorf("%s, %d: %s, %s", name, n, out.Stdout, out.Result)
			}
			got, _ := of(key.String()).Text(code[:n] + "\nordinary\ntext deadbeef follows\n")
			if !strings.HasSuffix(got.String(), "]\nordinary\ntext deadbeef follows\n") {
				t.Errorf("%s, %d: %s", name, n, got)
			}
			live, _ := stream(t, of(key.String()), code[:n]+"\nordinary\ntext ", "deadbeef follows\n")
			if !strings.HasSuffix(live, "\nordinary\ntext deadbeef follows\n") {
				t.Errorf("%s, %d, live: %s", name, n, live)
			}
		}
	}
}
