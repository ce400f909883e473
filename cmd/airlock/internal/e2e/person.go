package e2e

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"testing"
)

// ExecutionLink matches the address of an execution's page.
var ExecutionLink = regexp.MustCompile(`/ui/executions/[0-9a-z]{20,}`)

// Visitor is the browser of a person who is logged in.
type Visitor struct{ Client *http.Client }

// Person makes the first person and logs them in.
func (in *Instance) Person() Visitor {
	in.T.Helper()
	return Visitor{LogIn(in.T, in)}
}

// Get returns a page, which is kept for the detector.
func (v Visitor) Get(in *Instance, path string) string {
	in.T.Helper()
	response, err := v.Client.Get(in.URL + path)
	Must(in.T, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	Must(in.T, err)
	if response.StatusCode != http.StatusOK {
		in.T.Errorf("%s: status %d", path, response.StatusCode)
	}
	in.Keep(text)
	return string(text)
}

// LogIn returns a client with the session of a person.
func LogIn(t *testing.T, in *Instance) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	Must(t, err)
	client := &http.Client{Jar: jar}
	for _, step := range []struct {
		path   string
		fields url.Values
	}{
		{"/ui/login", url.Values{"token": {SuiteToken}}},
		{"/ui/welcome", url.Values{"name": {"Tester"}, "password": {"a password of the tests"},
			"password-again": {"a password of the tests"}}},
	} {
		response, err := client.PostForm(in.URL+step.path, step.fields)
		Must(t, err)
		response.Body.Close()
	}
	return client
}
