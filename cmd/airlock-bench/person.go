package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"github.com/computclaw/airlock/views/paths"
)

// password is what that person enters with.
const password = "six words nobody else will guess"

// benchPerson is somebody at the admin UI.
type benchPerson struct {
	client *http.Client
	url    string
}

// person enters with a new admin token and chooses a name and a password.
func (b *benchmark) person(ctx context.Context) (*benchPerson, error) {
	token, err := b.admin(ctx, "", "token")
	if err != nil {
		return nil, err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	p := &benchPerson{client: &http.Client{Jar: jar, Transport: b.client.Transport}, url: b.url}
	if _, err := p.post(ctx, paths.Login, url.Values{"token": {token}}); err != nil {
		return nil, err
	}
	_, err = p.post(ctx, paths.Welcome,
		url.Values{"name": {"Bench"}, "password": {password}, "password-again": {password}})
	return p, err
}

func (p *benchPerson) post(ctx context.Context, path string, form url.Values) (led string, err error) {
	_, led, err = p.do(ctx, http.MethodPost, path, strings.NewReader(form.Encode()))
	return led, err
}

func (p *benchPerson) get(ctx context.Context, path string) (led string, err error) {
	_, led, err = p.do(ctx, http.MethodGet, path, nil)
	return led, err
}

// do returns what was answered, and the path of the page to which it was led.
func (p *benchPerson) do(ctx context.Context, method, path string, body io.Reader) (text []byte, led string,
	err error) {
	request, err := http.NewRequestWithContext(ctx, method, p.url+path, body)
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := p.client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%s %s answered %d: %.300s", method, path, response.StatusCode, text)
	}
	return text, response.Request.URL.Path, err
}
