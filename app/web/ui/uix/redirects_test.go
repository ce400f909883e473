package uix

import "testing"

func TestLocalPage(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"/ui":                          "/ui",
		"/ui/profiles?x=1":             "/ui/profiles?x=1",
		"/ui/executions/abc":           "/ui/executions/abc",
		"":                             "/ui",
		"/":                            "/ui",
		"/uix":                         "/ui",
		"/ui/login":                    "/ui",
		"https://evil.example/ui":      "/ui",
		"//evil.example/ui":            "/ui",
		"/ui//evil.example":            "/ui",
		"/ui/../execute":               "/ui",
		"/ui/%2e%2e/execute":           "/ui",
		`/ui\evil`:                     "/ui",
		"javascript:alert(1)":          "/ui",
		"/ui/\r\nSet-Cookie: x=1":      "/ui",
		"http:/ui":                     "/ui",
		"/ui/profiles#x":               "/ui/profiles",
		"/ui/credentials/a%20b?c=%2F1": "/ui/credentials/a%20b?c=%2F1",
	} {
		if got := LocalPage(next); got != want {
			t.Errorf("LocalPage(%q) = %q, want %q", next, got, want)
		}
	}
}
