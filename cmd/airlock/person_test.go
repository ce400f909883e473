package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"testing"
)

var executionLink = regexp.MustCompile(`/ui/executions/[0-9a-z]{20,}`)

// visitor is a browser of a person who is logged in.
type visitor struct{ client *http.Client }

// person makes the first person and logs them in.
func (in *testServer) person() visitor {
	in.t.Helper()
	return visitor{loggedIn(in.t, in)}
}

// get returns a page, which is kept for the detector.
func (v visitor) get(in *testServer, path string) string {
	in.t.Helper()
	response, err := v.client.Get(in.url + path)
	must(in.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(in.t, err)
	if response.StatusCode != http.StatusOK {
		in.t.Errorf("%s: status %d", path, response.StatusCode)
	}
	in.keep(text)
	return string(text)
}

// loggedIn is a client with the session of a person.
func loggedIn(t *testing.T, in *testServer) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	client := &http.Client{Jar: jar}
	for _, step := range []struct {
		path   string
		fields url.Values
	}{
		{"/ui/login", url.Values{"token": {suiteToken}}},
		{"/ui/welcome", url.Values{"name": {"Tester"}, "password": {"a password of the tests"},
			"password-again": {"a password of the tests"}}},
	} {
		response, err := client.PostForm(in.url+step.path, step.fields)
		must(t, err)
		response.Body.Close()
	}
	return client
}
