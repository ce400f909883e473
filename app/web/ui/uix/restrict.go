package uix

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/views/paths"
)

// restrict takes from a page what the routes of a role refuse: buttons and links that lead there go,
// words stay, and forms can be read but not sent. So a page is made once, for everybody, and can't
// forget what a role may not do. Viewers see no id that is a token, either.
func restrict(page []byte, role app.Role) []byte {
	if role == app.RoleOwner {
		return page
	}
	r := &restrictor{role: role, routes: newAddressRoles(), in: html.NewTokenizer(bytes.NewReader(page))}
	for r.in.Next() != html.ErrorToken {
		r.element()
	}
	if role == app.RoleOperator {
		return r.out.Bytes()
	}
	return []byte(httpx.RedactTokens(r.out.String()))
}

type restrictor struct {
	role   app.Role
	routes addressRoles
	in     *html.Tokenizer
	out    bytes.Buffer
	navs   int  // elements of navigation that are open
	locked bool // in a form that can't be sent
	begin  int  // where that form begins in out
	fields bool // it has something to read
}

// element copies one tag or text, or leaves it out.
func (r *restrictor) element() {
	raw := slices.Clone(r.in.Raw())
	token := r.in.Token()
	if token.Type == html.StartTagToken || token.Type == html.SelfClosingTagToken {
		switch token.Data {
		case "nav":
			r.navs++
		case "a":
			r.link(token, raw)
			return
		case "form":
			r.form(token, raw)
			return
		case "button", "input", "select", "textarea":
			if r.locked {
				r.control(token, raw)
				return
			}
		}
	}
	if token.Type == html.EndTagToken {
		switch token.Data {
		case "nav":
			r.navs--
		case "form":
			if r.locked && !r.fields { // it was a button
				r.locked = false
				r.out.Truncate(r.begin)
				return
			}
			r.locked = false
		}
	}
	r.out.Write(raw)
}

// link keeps a link that the role may follow. Of another, a button or an entry of navigation goes,
// and in a sentence the words stay.
func (r *restrictor) link(token html.Token, raw []byte) {
	href := attribute(token, "href")
	inUI := href == paths.Root || strings.HasPrefix(href, paths.Root+"/")
	if !inUI || r.role.Includes(r.routes.rolesFor(href).get) {
		r.out.Write(raw)
		return
	}
	class := strings.Fields(attribute(token, "class"))
	drop := r.navs > 0 || slices.Contains(class, "button") || slices.Contains(class, "nav")
	start := r.out.Len()
	for r.in.Next() != html.ErrorToken {
		if name, _ := r.in.TagName(); string(name) == "a" {
			break
		}
		r.out.Write(r.in.Raw())
	}
	if drop {
		r.out.Truncate(start)
	}
}

// form keeps one that the role may send. Another stays readable.
func (r *restrictor) form(token html.Token, raw []byte) {
	action := attribute(token, "action")
	sends := strings.EqualFold(attribute(token, "method"), "post")
	if !sends || action == paths.Logout || r.role.Includes(r.routes.rolesFor(action).post) {
		r.out.Write(raw)
		return
	}
	r.locked, r.fields, r.begin = true, false, r.out.Len()
	token.Attr = slices.DeleteFunc(token.Attr, func(a html.Attribute) bool {
		return a.Key == "action" || a.Key == "method" || strings.HasPrefix(a.Key, "hx-")
	})
	r.out.WriteString(token.String())
}

// control disables what could be typed or chosen in a form that can't be sent.
func (r *restrictor) control(token html.Token, raw []byte) {
	kind := attribute(token, "type")
	switch {
	case token.Data == "button" && kind == "button": // of this page alone
		r.out.Write(raw)
	case token.Data == "button":
		for r.in.Next() != html.ErrorToken {
			if name, _ := r.in.TagName(); string(name) == "button" {
				return
			}
		}
	case kind == "hidden", kind == "submit":
	default:
		r.fields = true
		token.Attr = append(token.Attr, html.Attribute{Key: "disabled"})
		r.out.WriteString(token.String())
	}
}

func attribute(token html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
