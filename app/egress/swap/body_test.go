package swap

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

func TestBodiesAreSwapped(t *testing.T) {
	for name, c := range map[string]struct{ media, sent, want string }{
		"json": {"application/json", `{"k":"` + phA + `","n":1e5, "` + phA + `":"\"x"}`,
			`{"k":"sk+live/51Hx\"Q\\zT=<9>&uV","n":1e5, "sk+live/51Hx\"Q\\zT=<9>&uV":"\"x"}`},
		"json, escapes": {"application/vnd.api+json; charset=utf-8", `["\\", "\"` + phA + `"]`,
			`["\\", "\"sk+live/51Hx\"Q\\zT=<9>&uV"]`},
		"lines of json": {"application/x-ndjson", `{"k":"x"}` + "\n" + `{"k":"` + phA + `"}` + "\n", `{"k":"x"}` + "\n" +
			`{"k":"sk+live/51Hx\"Q\\zT=<9>&uV"}` + "\n"},
		"form": {"application/x-www-form-urlencoded", "a=1&k=" + phA + "&b=%20",
			"a=1&k=sk%2Blive%2F51Hx%22Q%5CzT%3D%3C9%3E%26uV&b=%20"},
		"text": {"text/plain", "x " + phA + "\n", "x " + secretA + "\n"},
		"none": {"", phA, secretA},
		"xml": {"text/xml", `<a b="` + phA + `">` + phA + `</a>`,
			`<a b="sk+live/51Hx&#34;Q\zT=&lt;9&gt;&amp;uV">sk+live/51Hx&#34;Q\zT=&lt;9&gt;&amp;uV</a>`},
		"nothing": {"application/json", `{"k":"` + Prefix + `"}`, `{"k":"` + Prefix + `"}`},
		"several": {"text/plain", phA + phA + "." + phA, secretA + secretA + "." + secretA},
		"part": {`multipart/form-data; boundary=XX`, "--XX\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\n" +
			phA + "\r\n--XX--\r\n", "--XX\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\n" + secretA + "\r\n--XX--\r\n"},
		"part with json": {`multipart/mixed; boundary="X X"`, "--X X\nContent-Type: application/json\n\n[\"" + phA +
			"\"]\n--X X--", "--X X\nContent-Type: application/json\n\n[\"sk+live/51Hx\\\"Q\\\\zT=<9>&uV\"]\n--X X--"},
		"no head": {`multipart/mixed; boundary=XX`, "--XX\r\n\r\n" + phA + "\r\n--XX--", "--XX\r\n\r\n" + secretA +
			"\r\n--XX--"},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, "POST", "https://api.example.com/", c.sent, "Content-Type", c.media, "Content-Length", "7",
				"Content-Md5", "x")
			keys, got, refusal := send(t, atHome(), home, req)
			if refusal != nil {
				t.Fatal(refusal)
			}
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if swapped := c.sent != c.want; swapped != (len(keys) == 1) || swapped != (req.Header.Get("Content-Md5") == "") {
				t.Errorf("keys %v, %v", keys, req.Header)
			}
		})
	}
}

// The receiver's own parser must read the value, and nothing else may be different.
func TestReceiversReadTheValue(t *testing.T) {
	s := atHome()
	_, body, _ := send(t, s, home, request(t, "POST", "https://x/", `{"a":["`+phA+`"]}`, "Content-Type",
		"application/json"))
	var object struct{ A []string }
	if err := json.Unmarshal([]byte(body), &object); err != nil || object.A[0] != secretA {
		t.Errorf("JSON: %v, %q", err, body)
	}
	_, body, _ = send(t, s, home, request(t, "POST", "https://x/", "k="+phA+"&l=2", "Content-Type",
		"application/x-www-form-urlencoded"))
	if form, err := url.ParseQuery(body); err != nil || form.Get("k") != secretA || form.Get("l") != "2" {
		t.Errorf("form: %v, %q", err, body)
	}
	_, body, _ = send(t, s, home, request(t, "POST", "https://x/", `<a b="`+phA+`">`+phA+`</a>`, "Content-Type",
		"application/xml"))
	var element struct {
		B    string `xml:"b,attr"`
		Text string `xml:",chardata"`
	}
	if err := xml.Unmarshal([]byte(body), &element); err != nil || element.B != secretA || element.Text != secretA {
		t.Errorf("XML: %v, %q", err, body)
	}
	var sent bytes.Buffer
	w := multipart.NewWriter(&sent)
	_ = w.WriteField("k", phA)
	file, _ := w.CreateFormFile("f", "name")
	_, _ = file.Write([]byte("\tü " + phA + "\r\n"))
	_ = w.Close()
	_, body, _ = send(t, s, home, request(t, "POST", "https://x/", sent.String(), "Content-Type", w.FormDataContentType()))
	form, err := multipart.NewReader(strings.NewReader(body), w.Boundary()).ReadForm(1 << 20)
	if err != nil || form.Value["k"][0] != secretA {
		t.Fatalf("multipart: %v, %q", err, body)
	}
	f, _ := form.File["f"][0].Open()
	if content, _ := io.ReadAll(f); string(content) != "\tü "+secretA+"\r\n" {
		t.Errorf("file: %q", content)
	}
}

func TestUnfitBodies(t *testing.T) {
	const head = "--XX\r\nContent-Disposition: form-data; name=k\r\n"
	for name, c := range map[string]struct{ value, media, sent, rule string }{
		"outside a string": {secretB, "application/json", `{"k":` + phA + `}`, RuleValue},
		"after a string":   {secretB, "application/json", `{"k\"":"` + `"` + phA + `}`, RuleValue},
		"in an escape":     {secretB, "application/json", `{"k":"\` + phA + `"}`, RuleValue},
		"boundary in a value": {"0123\r\n--XX\r\n456789", "multipart/form-data; boundary=XX", head + "\r\n" + phA +
			"\r\n--XX--", RuleValue},
		"rest of a boundary": {"X\r\n0123456789abcdef", "multipart/form-data; boundary=XX", head + "\r\n\r\n--X" + phA +
			"\r\n--XX--", RuleValue},
		"end in a value": {"\n--XX--\n0123456789", "multipart/form-data; boundary=XX", head + "\r\n" + phA +
			"\r\n--XX--", RuleValue},
		"head of a part": {secretB, "multipart/form-data; boundary=XX",
			"--XX\r\nContent-Disposition: form-data; name=\"" + phA + "\"\r\n\r\nx\r\n--XX--", RulePlace},
		"encoded part": {secretB, "multipart/form-data; boundary=XX", head +
			"Content-Transfer-Encoding: quoted-printable\r\n\r\n" + phA + "\r\n--XX--", RulePlace},
		"preamble": {secretB, "multipart/form-data; boundary=XX", phA + "\r\n" + head + "\r\nx\r\n--XX--",
			RulePlace},
		"epilogue":          {secretB, "multipart/form-data; boundary=XX", head + "\r\nx\r\n--XX--\r\n" + phA, RulePlace},
		"part without head": {secretB, "multipart/form-data; boundary=XX", "--XX\r\n" + phA + "\r\n--XX--", RulePlace},
		"no boundary":       {secretB, "multipart/form-data", phA, RuleBody},
		"control in xml":    {"0123456789abcdef\x01", "text/xml", "<a>" + phA + "</a>", RuleValue},
		"escapes in cdata":  {secretA, "text/xml", "<a><![CDATA[" + phA + "]]></a>", RuleValue},
		"edge of cdata":     {secretB + "]]", "text/xml", "<a><![CDATA[" + phA + "></a>", RuleValue},
		"nested multipart": {secretB, "multipart/form-data; boundary=XX",
			head + "Content-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\n" + phA + "\r\n--c--\r\n--XX--", RulePlace},
		"end of cdata": {"0123456789]]>abcdef", "text/xml", "<a><![CDATA[" + phA + "]]></a>", RuleValue},
	} {
		t.Run(name, func(t *testing.T) {
			s := New([]secrets.Resolved{credential("A", c.value, home.Host, everywhere...)})
			_, body, refusal := send(t, s, home, request(t, "POST", "https://x/", c.sent, "Content-Type", c.media))
			if refusal == nil || refusal.Rule != c.rule {
				t.Errorf("%+v, %q", refusal, body)
			}
		})
	}
}

func compress(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// With two or ambiguous content types a receiver may choose the other. It took mere text for a
// file's name.
func TestHoleG7SeveralContentTypes(t *testing.T) {
	const form = "multipart/form-data; boundary=b"
	inPart := func(head string) string {
		return "--b\r\n" + head + "\r\n\r\n--c\r\nX: " + phA + "\r\n\r\nx\r\n--c--\r\n--b--\r\n"
	}
	const nested = "Content-Type: text/plain\r\nContent-Type: multipart/mixed; boundary=c"
	file := "--b\r\nContent-Disposition: form-data; name=f; filename=\"" + phA + "\"\r\n\r\nx\r\n--b--\r\n"
	for name, c := range map[string]struct {
		types []string
		body  string
	}{
		"two headers":             {[]string{"text/plain", form}, file},
		"two headers, turned":     {[]string{form, "text/plain"}, file},
		"a comma":                 {[]string{"text/plain, " + form}, file},
		"a comma behind":          {[]string{"text/plain; charset=utf-8, " + form}, file},
		"two boundaries":          {[]string{"multipart/form-data; boundary=c; boundary=b"}, file},
		"a boundary with a star":  {[]string{"multipart/form-data; boundary*=utf-8''c; boundary=b"}, file},
		"not a type":              {[]string{"; x"}, file},
		"of a part":               {[]string{form}, inPart(nested)},
		"of a part, in two lines": {[]string{form}, inPart("Content-Type:\r\n multipart/mixed; boundary=c")},
	} {
		req := request(t, "POST", "https://x/", c.body)
		req.Header["Content-Type"] = c.types
		if _, sent, refusal := send(t, atHome(), home, req); refusal == nil || strings.Contains(sent, secretA) {
			t.Errorf("%s: %q was sent", name, sent)
		}
		harmless := strings.ReplaceAll(c.body, phA, "x")
		req = request(t, "POST", "https://x/", harmless)
		req.Header["Content-Type"] = c.types
		if _, sent, refusal := send(t, atHome(), home, req); refusal != nil || sent != harmless {
			t.Errorf("%s, without a placeholder: %q, %v", name, sent, refusal)
		}
	}
	folded := "--b\r\nContent-Type: application/json;\r\n charset=utf-8\r\n\r\n[\"" + phA + "\"]\r\n--b--\r\n"
	if sent, ok := sendBody(t, form, folded); !ok || sent != strings.ReplaceAll(folded, phA, quoteJSON(secretA)) {
		t.Errorf("a folded type: %q, %v", sent, ok)
	}
}

func TestCompressedRequests(t *testing.T) {
	for _, sent := range []string{compress(t, phA), compress(t, strings.Repeat("x", 2*app.MaxSwappedBody)), "x"} {
		req := request(t, "POST", "https://x/", sent, "Content-Encoding", "gzip")
		if _, body, refusal := send(t, atHome(), home, req); refusal != nil || body != sent ||
			req.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%v, %v", refusal, req.Header)
		}
	}
	req := request(t, "POST", "https://x/", phA, "Content-Encoding", "br")
	if _, _, refusal := send(t, atHome(), home, req); refusal == nil || refusal.Rule != RuleTooLarge {
		t.Errorf("a placeholder: %v", refusal)
	}
}

func TestLargestBody(t *testing.T) {
	fill := strings.Repeat("x", app.MaxSwappedBody-len(phA))
	if _, body, refusal := send(t, atHome(), home, request(t, "POST", "https://x/", fill+phA)); refusal != nil ||
		body != fill+secretA {
		t.Errorf("%v", refusal)
	}
	if _, _, refusal := send(t, atHome(), home, request(t, "POST", "https://x/", fill+phA+"x")); refusal == nil ||
		refusal.Rule != RuleTooLarge || refusal.Key != "A" {
		t.Errorf("%+v", refusal)
	}
	if _, body, refusal := send(t, atHome(), home, request(t, "POST", "https://x/", fill+fill)); refusal != nil ||
		body != fill+fill {
		t.Errorf("%v", refusal)
	}
}

// A short body can't ask for gigabytes.
func TestManyLongValues(t *testing.T) {
	s := New([]secrets.Resolved{credential("A", strings.Repeat("0123456789abcdef", app.MaxValue/16), home.Host, everywhere...)})
	if _, _, refusal := send(t, s, home, request(t, "POST", "https://x/", strings.Repeat(phA, 100))); refusal == nil ||
		refusal.Rule != RuleTooLarge {
		t.Errorf("%+v", refusal)
	}
}

// Hostile bodies take time linear in their length.
func TestManyPlaceholders(t *testing.T) {
	for media, piece := range map[string]string{
		"text/xml": phA + "<!--", "application/json": `"` + phA + `\\",`,
		"multipart/form-data; boundary=X": "--X\r\n\r\n" + phA + "\r\n",
	} {
		body := strings.Repeat(piece, app.MaxSwappedBody/len(piece))
		if _, _, refusal := send(t, atHome(), home,
			request(t, "POST", "https://x/", body, "Content-Type", media)); refusal != nil {
			t.Errorf("%s: %v", media, refusal)
		}
	}
}

func TestChunkedRequest(t *testing.T) {
	req := request(t, "POST", "https://x/", "")
	req.Body, req.ContentLength, req.TransferEncoding = io.NopCloser(&chunked{data: phA,
		sizes: []int{5}}), -1, []string{"chunked"}
	if _, body, refusal := send(t, atHome(), home, req); refusal != nil || body != secretA ||
		req.ContentLength != int64(len(secretA)) || req.TransferEncoding != nil {
		t.Errorf("%v, %q, %d", refusal, body, req.ContentLength)
	}
	req = request(t, "POST", "https://x/", "")
	req.Body, req.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader("x"), failing{})), 10
	if _, _, refusal := send(t, atHome(), home, req); refusal == nil || refusal.Rule != RuleBody {
		t.Errorf("a body cut short: %v", refusal)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestHoleCharsetOfARequest: a script chose the charset in which the host read a value. The answer
// had it in characters that were not recognised.
func TestHoleCharsetOfARequest(t *testing.T) {
	wide := func(text string) string {
		return strings.Join(strings.Split(text, ""), "\x00") + "\x00"
	}
	form, part := "application/x-www-form-urlencoded", "--XX\r\nContent-Disposition: form-data; name=k\r\n"
	for name, c := range map[string]struct{ media, body string }{
		"UTF-16 around it":       {"application/json", wide(`{"a":"`) + phA + wide(`"}`)},
		"UTF-16, big":            {"application/json", "\x00{\x00\"" + phA + "\x00\"\x00}"},
		"with its mark":          {"application/xml", "\xff\xfe<\x00a\x00>\x00" + phA + "<\x00/\x00a\x00>\x00"},
		"half a character":       {"application/json", `{"a":"` + "\xe3" + phA + `"}`},
		"charset of a form":      {form + "; charset=ibm037", "a=" + phA},
		"charset of JSON":        {"application/json; charset=utf-7", `{"a":"+` + phA + `-"}`},
		"charset of text":        {"text/plain; charset=UTF-16LE", "a " + phA},
		"XML declaration":        {"application/xml", `<?xml version="1.0" encoding="IBM037"?><a>` + phA + "</a>"},
		"charset of a part":      {"multipart/form-data; boundary=XX", part + "Content-Type: text/plain; charset=utf-7\r\n\r\n" + phA + "\r\n--XX--\r\n"},
		"UTF-16 in a part":       {"multipart/form-data; boundary=XX", part + "Content-Type: application/json\r\n\r\n" + wide(`{"a":"`) + phA + wide(`"}`) + "\r\n--XX--\r\n"},
		"field _charset_":        {form, "%5fcharset%5f=utf-7&a=" + phA},
		"field _charset_, parts": {"multipart/form-data; boundary=XX", strings.Replace(part, "name=k", "name=_charset_", 1) + "\r\nutf-7\r\n" + part + "\r\n" + phA + "\r\n--XX--\r\n"},
	} {
		if _, body, refusal := send(t, atHome(), home, request(t, "POST", "https://x/", c.body, "Content-Type", c.media)); refusal == nil {
			t.Errorf("%s: sent as %q", name, body)
		}
	}
	for _, media := range []string{"application/json; charset=UTF-8", "application/json", "text/plain; charset=iso-8859-1", "application/xml"} {
		body := `<?xml version="1.0" encoding="utf-8"?><a>ü ` + phA + "</a>"
		if strings.Contains(media, "json") {
			body = `{"a":"ü ` + phA + `"}`
		}
		if _, _, refusal := send(t, atHome(), home, request(t, "POST", "https://x/", body, "Content-Type", media)); refusal != nil {
			t.Errorf("%s: %s", media, refusal.Message)
		}
	}
}
