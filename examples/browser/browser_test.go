package browser

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const testPage = `<main><form method="post" action="/send?x=1">
<input type="hidden" name="seen" value="7"><input name="text" value="as given"><input name="off" value="no" disabled>
<input type="checkbox" name="ticked" value="yes" checked><input type="checkbox" name="blank" value="yes">
<input type="radio" name="mode" value="a"><input type="radio" name="mode" value="b" checked>
<select name="link"><option value="">later</option><option value="L" selected>L</option></select>
<select name="first"><option value="F">F</option><option value="G">G</option></select>
<textarea name="note">words</textarea>
<button name="do" value="save">Save</button><button name="do" value="review"> Save and
  review </button></form><button>Elsewhere</button></main>`

// A press sends what a browser would: the page's own values, what was filled in, and the pressed
// button's.
func TestPress(t *testing.T) {
	var sent url.Values
	var origin, cookie string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_ = r.ParseForm()
			sent, origin = r.PostForm, r.Header.Get("Origin")
			if c, err := r.Cookie("session"); err == nil {
				cookie = c.Value
			}
			if r.URL.Path != "/send" {
				w.WriteHeader(http.StatusTeapot)
			}
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "s", Path: "/"})
		_, _ = w.Write([]byte(testPage))
	}))
	defer server.Close()
	p := New(server.URL)
	if err := p.Open(t.Context(), "/"); err != nil {
		t.Fatal(err)
	}
	if err := p.Press(t.Context(), "Save and review",
		url.Values{"text": {"typed"}, "blank": {"yes"}, "mode": {"a"}}); err != nil {
		t.Fatal(err)
	}
	want := url.Values{"seen": {"7"}, "text": {"typed"}, "ticked": {"yes"}, "blank": {"yes"}, "mode": {"a"},
		"link":  {"L"},
		"first": {"F"}, "note": {"words"}, "do": {"review"}}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
	if origin != server.URL || cookie != "s" {
		t.Errorf("origin %q, cookie %q", origin, cookie)
	}
	for button, fill := range map[string]url.Values{"Nowhere": nil, "Elsewhere": nil, "Save": {"absent": {"x"}}} {
		if err := p.Press(t.Context(), button, fill); err == nil {
			t.Errorf("pressed %q with %v", button, fill)
		}
	}
	if !p.Shows("Elsewhere") || p.Shows("Lock") {
		t.Error("shows is wrong")
	}
}
