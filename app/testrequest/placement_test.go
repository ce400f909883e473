package testrequest

import (
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
)

// TestNamedHeaders: without a choice the value goes into a header that the credential allows.
func TestNamedHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		named      []string
		name, want string
	}{
		"without Authorization": {[]string{"X-Acme-Key"}, "X-Acme-Key", value},
		"with it":               {[]string{"Authorization", "X-Acme-Key"}, "Authorization", "Bearer " + value},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.sealed(false, "api.test")
			_, err := w.access.Credentials.Set(t.Context(), person,
				credentials.Input{Name: "KEY", Mode: app.ModeSealed, Headers: c.named})
			w.must(err)
			r := w.test(Request{})
			seen := w.requests()
			if r.Problem != "" || len(seen) == 0 || seen[0].Header.Get(c.name) != c.want {
				t.Fatalf("%+v, the host saw %+v", r, seen)
			}
		})
	}
}
