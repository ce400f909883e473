package executions

import "testing"

func TestHostTyped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "Api.Example.com": "api.example.com",
		"https://api.example.com/v1?x=1": "api.example.com", "api.example.com:443": "api.example.com",
		"api.example.com.": "api.example.com", "::1": "::1", "192.0.2.1:80": "192.0.2.1"} {
		if got := hostTyped(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
