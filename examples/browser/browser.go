// Package browser simulates a person with a browser for demo and tests. It opens pages, fills in
// forms and presses buttons, by plain HTTP.
package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// Person is someone with a browser. No script runs in this browser.
type Person struct {
	Page *goquery.Document // that is open
	At   *url.URL          // where

	base   string
	client http.Client
}

// New returns a person without an open page. base: Airlock's address without a trailing slash.
func New(base string) *Person {
	jar, _ := cookiejar.New(nil) // fails never without options
	return &Person{base: base, client: http.Client{Jar: jar}}
}

// Open follows a link.
func (p *Person) Open(ctx context.Context, link string) error {
	if strings.HasPrefix(link, "/") {
		link = p.base + link
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return err
	}
	return p.load(request)
}

// Press fills in the form of the button with that text and presses it. Other fields keep their
// values.
func (p *Person) Press(ctx context.Context, text string, fill url.Values) error {
	button := p.Page.Find("button").FilterFunction(func(_ int, b *goquery.Selection) bool {
		return strings.Contains(strings.Join(strings.Fields(b.Text()), " "), text)
	}).First()
	form := button.Closest("form")
	if form.Length() == 0 {
		return fmt.Errorf("%s has no button %q", p.At.Path, text)
	}
	values := fillForm(form)
	if name, ok := button.Attr("name"); ok {
		values.Set(name, button.AttrOr("value", ""))
	}
	for name, v := range fill {
		if form.Find(fmt.Sprintf("[name=%q]", name)).Length() == 0 {
			return fmt.Errorf("the form of %q at %s has no field %q", text, p.At.Path, name)
		}
		values[name] = v
	}
	target, err := p.At.Parse(form.AttrOr("action", ""))
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(),
		strings.NewReader(values.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", p.base) // as every browser does
	return p.load(request)
}

func (p *Person) load(request *http.Request) error {
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	page, err := goquery.NewDocumentFromReader(response.Body)
	if err != nil {
		return err
	}
	p.Page, p.At = page, response.Request.URL
	if response.StatusCode >= 400 {
		return fmt.Errorf("%s %s: %s: %s", request.Method, request.URL.Path, response.Status, p.Reads("main"))
	}
	return nil
}

// Enroll follows a link through the first login, by token, name and password, to its target.
func (p *Person) Enroll(ctx context.Context, token, name, password string) error {
	if strings.HasPrefix(p.At.Path, "/ui/login") && p.Page.Find("[name=token]").Length() == 0 {
		if err := p.Open(ctx, "/ui/login/token?"+p.At.RawQuery); err != nil {
			return err
		}
	}
	if err := p.Press(ctx, "Log in", url.Values{"token": {token}}); err != nil {
		return err
	}
	return p.Press(ctx, "Continue", url.Values{"name": {name}, "password": {password}, "password-again": {password}})
}

// Shows reports whether the page has a button with that text.
func (p *Person) Shows(text string) bool {
	return p.Page.Find("button").FilterFunction(func(_ int, b *goquery.Selection) bool {
		return strings.Contains(b.Text(), text)
	}).Length() > 0
}

// Reads returns the text at a place of the page.
func (p *Person) Reads(selector string) string {
	return strings.Join(strings.Fields(p.Page.Find(selector).Text()), " ")
}

func fillForm(form *goquery.Selection) url.Values {
	values := url.Values{}
	form.Find("input[name], textarea[name], select[name]").Each(func(_ int, field *goquery.Selection) {
		name := field.AttrOr("name", "")
		_, disabled := field.Attr("disabled")
		_, checked := field.Attr("checked")
		kind := field.AttrOr("type", goquery.NodeName(field))
		switch {
		case disabled, (kind == "checkbox" || kind == "radio") && !checked:
		case kind == "select":
			chosen := field.Find("option[selected]")
			if chosen.Length() == 0 {
				chosen = field.Find("option")
			}
			values.Set(name, chosen.First().AttrOr("value", ""))
		case kind == "textarea":
			values.Set(name, field.Text())
		case kind == "checkbox" || kind == "radio":
			values.Add(name, field.AttrOr("value", "on"))
		default:
			values.Add(name, field.AttrOr("value", ""))
		}
	})
	return values
}
