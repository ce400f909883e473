package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// person is someone with a browser: they open pages, fill in forms and press buttons. No script runs in this browser.
type person struct {
	base   string
	client http.Client
	page   *goquery.Document
	at     *url.URL
}

func newPerson(base string) *person {
	jar, _ := cookiejar.New(nil) // fails never without options
	return &person{base: base, client: http.Client{Jar: jar}}
}

// open follows a link.
func (p *person) open(ctx context.Context, link string) error {
	if strings.HasPrefix(link, "/") {
		link = p.base + link
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return err
	}
	return p.load(request)
}

// press presses the button with that text, after the fields of its form were filled in. Fields that aren't named keep what the page gave them.
func (p *person) press(ctx context.Context, text string, fill url.Values) error {
	button := p.page.Find("button").FilterFunction(func(_ int, b *goquery.Selection) bool {
		return strings.Contains(strings.Join(strings.Fields(b.Text()), " "), text)
	}).First()
	form := button.Closest("form")
	if form.Length() == 0 {
		return fmt.Errorf("%s has no button %q", p.at.Path, text)
	}
	values := filled(form)
	if name, ok := button.Attr("name"); ok {
		values.Set(name, button.AttrOr("value", ""))
	}
	for name, v := range fill {
		if form.Find(fmt.Sprintf("[name=%q]", name)).Length() == 0 {
			return fmt.Errorf("the form of %q at %s has no field %q", text, p.at.Path, name)
		}
		values[name] = v
	}
	target, err := p.at.Parse(form.AttrOr("action", ""))
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), strings.NewReader(values.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", p.base) // as every browser does
	return p.load(request)
}

func (p *person) load(request *http.Request) error {
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	page, err := goquery.NewDocumentFromReader(response.Body)
	if err != nil {
		return err
	}
	p.page, p.at = page, response.Request.URL
	if response.StatusCode >= 400 {
		return fmt.Errorf("%s %s: %s: %s", request.Method, request.URL.Path, response.Status, p.reads("main"))
	}
	return nil
}

// shows reports whether the page has a button with that text.
func (p *person) shows(text string) bool {
	return p.page.Find("button").FilterFunction(func(_ int, b *goquery.Selection) bool {
		return strings.Contains(b.Text(), text)
	}).Length() > 0
}

// reads returns the text at a place of the page.
func (p *person) reads(selector string) string {
	return strings.Join(strings.Fields(p.page.Find(selector).Text()), " ")
}

// filled are the values that a form would send as the page gave it.
func filled(form *goquery.Selection) url.Values {
	values := url.Values{}
	form.Find("input[name], textarea[name], select[name]").Each(func(_ int, field *goquery.Selection) {
		name := field.AttrOr("name", "")
		_, disabled := field.Attr("disabled")
		_, checked := field.Attr("checked")
		kind := field.AttrOr("type", goquery.NodeName(field))
		switch {
		case disabled, slices.Contains([]string{"checkbox", "radio"}, kind) && !checked:
		case kind == "select":
			chosen := field.Find("option[selected]")
			if chosen.Length() == 0 {
				chosen = field.Find("option")
			}
			values.Set(name, chosen.First().AttrOr("value", ""))
		case kind == "textarea":
			values.Set(name, field.Text())
		default:
			values.Add(name, field.AttrOr("value", kindDefault(kind)))
		}
	})
	return values
}

func kindDefault(kind string) string {
	if kind == "checkbox" || kind == "radio" {
		return "on"
	}
	return ""
}
