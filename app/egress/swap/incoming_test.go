package swap

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/known"
	"github.com/computclaw/airlock/app/secrets"
)

func TestReflectionsAreReplaced(t *testing.T) {
	std, raw := base64.StdEncoding, base64.RawURLEncoding
	for name, c := range map[string]struct{ got, want string }{
		"raw":              {"x" + secretA + "y", "x" + phA + "y"},
		"twice":            {secretA + secretA, phA + phA},
		"two keys":         {secretA + secretB, phA + phB},
		"json":             {`{"k":"` + quoteJSON(secretA) + `"}`, `{"k":"` + phA + `"}`},
		"json in json":     {strconv.Quote(`{"k":"` + quoteJSON(secretA) + `"}`), strconv.Quote(`{"k":"` + phA + `"}`)},
		"go json":          {`sk+live/51Hx\"Q\\zT=\u003c9\u003e\u0026uV`, phA},
		"php json":         {`sk+live\/51Hx\"Q\\zT=<9>&uV`, phA},
		"all escaped json": {each(secretB, `\u%04x`), phB},
		"percent":          {"?k=" + url.QueryEscape(secretA) + "&x=1", "?k=" + phA + "&x=1"},
		"percent path":     {"/" + url.PathEscape(secretA), "/" + phA},
		"percent, lower":   {percent(secretA, "-._~", "%%%02x", "+"), phA},
		"percent, twice":   {url.QueryEscape(url.QueryEscape(secretA)), phA},
		"percent, all":     {each(secretA, "%%%02X"), phA},
		"html":             {"<b>sk+live/51Hx&#34;Q\\zT=&lt;9&gt;&amp;uV</b>", "<b>" + phA + "</b>"},
		"html, quot":       {"sk+live/51Hx&quot;Q\\zT=&lt;9&gt;&amp;uV", phA},
		"hex":              {"a " + hex.EncodeToString([]byte(secretA)), "a " + hex.EncodeToString([]byte(phA))},
		"HEX": {strings.ToUpper(hex.EncodeToString([]byte(secretA))),
			strings.ToUpper(hex.EncodeToString([]byte(phA)))},
		"repr":          {`'sk+live/51Hx"Q\\zT=<9>&uV'`, "'" + phA + "'"},
		"utf-16":        {utf16Bytes("x"+secretB+"y", false), utf16Bytes("x"+phB+"y", false)},
		"utf-16, big":   {utf16Bytes("x"+secretB+"y", true), utf16Bytes("x"+phB+"y", true)},
		"reversed":      {known.Reverse(secretA), known.Reverse(phA)},
		"capitals":      {strings.ToUpper(secretB), phB},
		"base64, whole": {std.EncodeToString([]byte(secretA)), phA},
		"base64, 1":     {std.EncodeToString([]byte(":" + secretA)), "On" + phA + "g=="},
		"base64, 2":     {std.EncodeToString([]byte("u:" + secretA)), "dTp" + phA + "Y="},
		"base64, url":   {raw.EncodeToString([]byte(secretA)), phA},
		"one lacks":     {secretA[1:] + " " + secretA[:len(secretA)-1], phA + " " + phA},
		"nothing":       {secretA[2:] + " " + secretA[:len(secretA)-2], secretA[2:] + " " + secretA[:len(secretA)-2]},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, receive(t, atHome(), c.got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHeadIsReplaced(t *testing.T) {
	resp := response("", "X-Echo", "k="+secretA, "Location", "/x?k="+url.QueryEscape(secretA), "Set-Cookie",
		"a="+secretB+"; Path=/",
		"X-"+secretB, "v", "Authorization", basic("u:"+secretA),
		"Content-Length", "0", "Digest", "x", "Etag", `"`+secretB+`"`)
	resp.Status = "200 " + secretB
	resp.Trailer = http.Header{"X-T": {secretB}, "X-" + secretB: nil}
	if err := atHome().MaskResponse(home, resp, nil); err != nil {
		t.Fatal(err)
	}
	want := http.Header{
		"X-Echo": {"k=" + phA}, "Location": {"/x?k=" + phA}, "Set-Cookie": {"a=" + phB + "; Path=/"},
		"Authorization": {"Basic dTp" + phA + "Y="}, "Etag": {`"` + phB + `"`},
	}
	if diff := cmp.Diff(want, resp.Header); diff != "" {
		t.Error(diff)
	}
	if resp.Status != "200 "+phB || !cmp.Equal(resp.Trailer, http.Header{"X-T": {phB}}) || resp.ContentLength != -1 {
		t.Errorf("%q, %v, %d", resp.Status, resp.Trailer, resp.ContentLength)
	}
}

// HEAD's answer has the body's length, and a digest over the value. A compressed length could
// reveal content.
func TestHeadAnswersKeepThePlainLengthOnly(t *testing.T) {
	for encoding, want := range map[string]struct {
		length int64
		header http.Header
	}{
		"":     {77, http.Header{"Content-Length": {"77"}}},
		"gzip": {-1, http.Header{"Content-Encoding": {"gzip"}}},
	} {
		resp := response("", "Content-Length", "77", "Content-Digest", "x")
		if encoding != "" {
			resp.Header.Set("Content-Encoding", encoding)
		}
		resp.Body, resp.ContentLength = http.NoBody, 77
		if err := atHome().MaskResponse(home, resp, nil); err != nil || resp.ContentLength != want.length ||
			!cmp.Equal(resp.Header, want.header) {
			t.Errorf("%q: %v, %d, %v", encoding, err, resp.ContentLength, resp.Header)
		}
	}
}

// Answers offer no Range: a resumed download would repeat bytes.
func TestRangesAreNotOffered(t *testing.T) {
	resp := response("x", "Accept-Ranges", "bytes")
	if err := atHome().MaskResponse(home, resp, nil); err != nil || resp.Header.Get("Accept-Ranges") != "none" {
		t.Errorf("%v, %v", err, resp.Header)
	}
	resp = response("x", "Accept-Ranges", "bytes")
	if err := atHome().MaskResponse(foreign, resp, nil); err != nil || resp.Header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("elsewhere: %v, %v", err, resp.Header)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestLateTrailersAreReplaced(t *testing.T) {
	resp := response("x")
	resp.Trailer = http.Header{"X-Late": nil}
	resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("x"), readerFunc(func([]byte) (int, error) {
		resp.Trailer.Set("X-Late", secretB)
		return 0, io.EOF
	})))
	if err := atHome().MaskResponse(home, resp, nil); err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(resp.Body)
	if got := resp.Trailer.Get("X-Late"); got != phB {
		t.Errorf("the trailer is %q", got)
	}
}

func TestUnreadableResponses(t *testing.T) {
	partial := response("x")
	partial.StatusCode = http.StatusPartialContent
	upgraded := response("")
	upgraded.StatusCode = http.StatusSwitchingProtocols
	for name, resp := range map[string]*http.Response{
		"range":    partial,
		"ranges":   response("x", "Content-Type", "Multipart/ByteRanges; boundary=x"),
		"upgrade":  upgraded,
		"br":       response("x", "Content-Encoding", "br"),
		"deflate":  response("x", "Content-Encoding", "deflate"),
		"zstd":     response("x", "Content-Encoding", "zstd"),
		"unknown":  response("x", "Content-Encoding", "x"),
		"stacked":  response("x", "Content-Encoding", "gzip, deflate"),
		"stacked2": response("x", "Content-Encoding", "gzip", "Content-Encoding", "gzip"),
		"te":       response("x", "Transfer-Encoding", "gzip, chunked"),
	} {
		if err := atHome().MaskResponse(home, resp, nil); err == nil {
			t.Errorf("%s is passed on", name)
		}
	}
	for name, resp := range map[string]*http.Response{"range": partial, "br": response("x", "Content-Encoding", "br")} {
		if err := atHome().MaskResponse(foreign, resp, nil); err != nil {
			t.Errorf("%s from elsewhere: %v", name, err)
		}
	}
}

func TestCompressedResponses(t *testing.T) {
	text := strings.Repeat("some text ", 1000) + secretA + strings.Repeat(" more", 1000)
	want := strings.Replace(text, secretA, phA, 1)
	half := strings.Index(text, secretA) + 5
	for name, c := range map[string]struct{ encoding, body string }{
		"gzip":     {"gzip", compress(t, text)},
		"x-gzip":   {"X-Gzip", compress(t, text)},
		"members":  {"gzip", compress(t, text[:half]) + compress(t, text[half:])},
		"identity": {"identity", text},
	} {
		resp := response("", "Content-Encoding", c.encoding)
		resp.Body = io.NopCloser(iotest.OneByteReader(strings.NewReader(c.body)))
		if err := atHome().MaskResponse(home, resp, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(resp.Body); err != nil || string(got) != want {
			t.Errorf("%s: %v, %d bytes", name, err, len(got))
		}
		if name != "identity" && resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %v", name, resp.Header)
		}
	}
}

// TestHoleM7PackedAnswersPass: what a host packs passes as it is. Only gzip of Content-Encoding
// is undone: see TestCompressedResponses.
func TestHoleM7PackedAnswersPass(t *testing.T) {
	var deflated, base85 bytes.Buffer
	z, a := zlib.NewWriter(&deflated), ascii85.NewEncoder(&base85)
	for _, w := range []io.WriteCloser{z, a} {
		if _, err := w.Write([]byte(secretB)); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
	}
	bzipped, err := hex.DecodeString("425a683931415926535970c0774700000b8b807fe000703f2540002000314006234d346850680340d36a2b9f028ca74aa60cd77cea78801f17724538509070c07747")
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{"zlib": deflated.String(), "bzip2": string(bzipped), "base85": base85.String(),
		"gzip, not said": compress(t, secretB), "gzip in base64": base64.StdEncoding.EncodeToString([]byte(compress(t, secretB)))} {
		if got := receive(t, atHome(), body); got != body {
			t.Errorf("%s: %q became %q", name, body, got)
		}
	}
}

func TestBrokenCompression(t *testing.T) {
	whole := compress(t, strings.Repeat("x", 1000))
	for name, c := range map[string]struct{ encoding, body string }{
		"not gzip":  {"gzip", "plain"},
		"cut short": {"gzip", whole[:len(whole)-5]},
		"cut head":  {"gzip", whole[:5]},
		"garbage":   {"gzip", whole + "garbage garbage garbage"},
		"checksum":  {"gzip", whole[:len(whole)-8] + "abcdefgh"},
		"bomb":      {"gzip", compress(t, strings.Repeat("\x00", 64<<20))},
	} {
		resp := response(c.body, "Content-Encoding", c.encoding)
		if err := atHome().MaskResponse(home, resp, nil); err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, resp.Body); err == nil || n > 16<<20 {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	}
	resp := response("", "Content-Encoding", "gzip")
	if err := atHome().MaskResponse(home, resp, nil); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, resp.Body); n != 0 || err != nil {
		t.Errorf("an empty body: %d, %v", n, err)
	}
}

func TestOverlappingValues(t *testing.T) {
	const inner, outer = "inner-secret-0123", "outer-inner-secret-0123-outer"
	const left, right = "left-part-shared-part", "shared-part-right-part"
	as := strings.Repeat("a", 16)
	for name, c := range map[string]struct {
		values    []string
		got, want string
	}{
		"inner alone":        {[]string{inner, outer}, "x" + inner + "y", "x[0]y"},
		"inner within":       {[]string{inner, outer}, "x" + outer + "y", "x[1]y"},
		"begin of the outer": {[]string{inner, outer}, outer[:len(outer)-2], "outer-[0]-out"},
		"overlap":            {[]string{left, right}, "x" + left[:10] + right + "y", "x[0]y"},
		"the same":           {[]string{inner, inner}, inner, "[0]"},
		"one beginning":      {[]string{inner, inner + "-and-more"}, inner + "-and-more " + inner + "-and", "[1] [0]-and"},
		"too few":            {[]string{as}, as[2:], as[2:]},
		"just":               {[]string{as}, "b" + as + "b", "b[0]b"},
		"many":               {[]string{as}, strings.Repeat("a", 200000) + "b", "[0]b"},
		"near miss":          {[]string{as + "bcd"}, strings.Repeat("a", 30) + "c", strings.Repeat("a", 30) + "c"},
		"near hit":           {[]string{as + "b"}, strings.Repeat("a", 30) + "b", "[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			var all []secrets.Resolved
			want := c.want
			for i, value := range c.values {
				key := "K" + strconv.Itoa(i)
				all = append(all, credential(key, value, home.Host))
				want = strings.ReplaceAll(want, "["+strconv.Itoa(i)+"]", placeholderOf(key))
			}
			if got := receive(t, New(all), c.got); got != want {
				t.Errorf("got  %.200s\nwant %.200s", got, want)
			}
		})
	}
}

// Of two keys with one value, a host gets back its own one's placeholder.
func TestOneValueOfTwoKeys(t *testing.T) {
	s := New([]secrets.Resolved{credential("A", secretB, "other.example.com"), credential("B", secretB, home.Host)})
	if got := receive(t, s, secretB); got != phB {
		t.Errorf("%s", got)
	}
	resp := response(secretB)
	if err := s.MaskResponse(foreign, resp, nil); err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(resp.Body); string(got) != phA {
		t.Errorf("%s", got)
	}
}

func TestLinesOfAValue(t *testing.T) {
	value := "-----BEGIN KEY-----\nMIIBVAIBADANBgkqhkiG9w0B\nAQEFAASCAT4wggE6AgEAAkEA\n-----END KEY-----\n"
	s := New([]secrets.Resolved{credential("A", value, home.Host)})
	if got := receive(t, s, "x"+value+"y"); got != "x"+phA+"y" {
		t.Errorf("whole: %q", got)
	}
	got := receive(t, s, "-----BEGIN KEY-----\r\n  MIIBVAIBADANBgkqhkiG9w0B\r\n")
	if got != "-----BEGIN KEY-----\r\n  "+phA+"\r\n" {
		t.Errorf("one line: %q", got)
	}
	if got := receive(t, s, `{"k":"`+quoteJSON(value)+`"}`); got != `{"k":"`+phA+`"}` {
		t.Errorf("JSON: %q", got)
	}
}

// Whole events and JSON lines pass at once. Of an unfinished line at most the value's longest form
// is held.
func TestPromptness(t *testing.T) {
	s := atHome()
	longest := s.values.compile().finder.Reach()
	long := strings.Repeat(".", 2*longest)
	reader, writer := io.Pipe()
	resp := response("", "Content-Type", "text/event-stream; charset=utf-8")
	resp.Body = reader
	if err := s.MaskResponse(home, resp, nil); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ send, get string }{
		{"data: hello\n\n", "data: hello\n\n"},
		{secretA[:5] + "\n\n", secretA[:5] + "\n\n"},
		{`{"a":1}` + "\n", `{"a":1}` + "\n"},
		{long, long[:longest]},
		{"\n\n", long[longest:] + "\n\n"},
		{"data: " + secretA + "\n\n", "data: " + phA + "\n\n"},
	} {
		go func() { _, _ = writer.Write([]byte(step.send)) }()
		got := make([]byte, len(step.get))
		if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != step.get {
			t.Fatalf("%q, %v", got, err)
		}
	}
}

// The pieces of an answer must not tell whether a script's text begins a value. Otherwise it could
// find the value byte by byte.
func TestPiecesTellNothingOfValues(t *testing.T) {
	multiline := New([]secrets.Resolved{credential("A", "first line of it 0123\nsecond line of it 4567", home.Host)})
	for name, s := range map[string]*Swapper{"plain": atHome(), "lines": multiline} {
		compiled := s.values.compile()
		for _, n := range compiled.patterns {
			for length := 1; length < len(n.Text); length += 3 {
				guess := n.Text[:length]
				if receive(t, s, guess) != guess { // a whole line of the value
					break
				}
				wrong := []byte(guess) // other bytes, the same lines
				for i, c := range wrong {
					if c != '\n' {
						wrong[i] = 'a' + (c+7)%26
					}
				}
				for _, before := range []string{"", "a line\nand ", strings.Repeat("x", 2*compiled.finder.Reach())} {
					if right, other := pieces(t, s, before, guess), pieces(t, s, before, string(wrong)); !cmp.Equal(right, other) {
						t.Fatalf("%s: %d bytes of a value come in %v, others in %v", name, length, right, other)
					}
				}
			}
		}
	}
}

// pieces returns the sizes in which pieces of a body are passed on.
func pieces(t *testing.T, s *Swapper, parts ...string) []int {
	t.Helper()
	readers := make([]io.Reader, len(parts))
	for i, p := range parts {
		readers[i] = strings.NewReader(p)
	}
	resp := response("")
	resp.Body = io.NopCloser(io.MultiReader(readers...))
	if err := s.MaskResponse(home, resp, nil); err != nil {
		t.Fatal(err)
	}
	var sizes []int
	buffer := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buffer)
		if n > 0 {
			sizes = append(sizes, n)
		}
		if err == io.EOF {
			return sizes
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoCredentials(t *testing.T) {
	s := New(nil)
	resp := response("x", "Content-Encoding", "br")
	if err := s.MaskResponse(home, resp, nil); err != nil || resp.ContentLength != 1 {
		t.Error(err)
	}
	if keys, err := s.FillRequest(home, request(t, "GET", "https://x/", "")); err != nil || keys != nil {
		t.Error(err)
	}
}

// The instance's values of a host are withheld from other scripts, in any case; a script's own
// stay.
func TestValuesOfOthersAreWithheld(t *testing.T) {
	const foreignValue, given = "other-profiles-key-0123456789", "a-value-that-the-script-holds"
	known := NewValues([]app.Secret{app.NewSecret(strings.ToUpper(secretB)), app.NewSecret(foreignValue),
		app.NewSecret(given), app.NewSecret(secretB)})
	s := New([]secrets.Resolved{credential("B", secretB, home.Host)}, app.NewSecret(given))
	resp := response(secretB + " " + foreignValue + " " + given)
	if err := s.MaskResponse(home, resp, known); err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(resp.Body); string(got) != phB+" "+Withheld+" "+given {
		t.Errorf("%s", got)
	}
}

// An unknown placeholder is refused at a searched host, also without any credential.
func TestUnknownPlaceholderAtASearchedHost(t *testing.T) {
	target := home
	target.Searched = true
	if _, _, refusal := send(t, New(nil), target,
		request(t, "GET", "https://x/", "", "Authorization", "Bearer "+phA)); refusal == nil || refusal.Rule != RuleUnknown {
		t.Errorf("%v", refusal)
	}
}

// Overlapping own and known values are replaced as a whole. If one went first, the rest would not
// be recognised.
func TestHoleF1KnownValueWithinAnOwnOne(t *testing.T) {
	const id, secret = "cl1ent-id-42-7f3x9kw2m4p", "rY6uJ3hB5nC0-42-dE1fG8aKoQ7"
	for name, c := range map[string]struct{ own, known, text, want string }{
		"its beginning":      {own: id + ":" + secret, known: id, text: id + ":" + secret, want: phA},
		"its end":            {own: id + ":" + secret, known: secret, text: id + ":" + secret, want: phA},
		"its middle":         {own: "a:" + id + ":" + secret, known: id, text: "a:" + id + ":" + secret, want: phA},
		"own in a known one": {own: id, known: id + ":" + secret, text: id + ":" + secret, want: Withheld},
		"own ends a known":   {own: secret, known: id + ":" + secret, text: id + ":" + secret, want: Withheld},
		"they overlap": {own: id + ":" + secret, known: secret + ":" + id, text: id + ":" + secret + ":" + id,
			want: phA},
		"both by themselves": {own: id, known: secret, text: id + " and " + secret, want: phA + " and " + Withheld},
	} {
		s := New([]secrets.Resolved{credential("A", c.own, home.Host, everywhere...)})
		for _, size := range []int{1, 7, 1000} {
			resp := response("", "X-Header", c.text)
			resp.Body = io.NopCloser(&chunked{data: "log: " + c.text + ".", sizes: []int{size}})
			if err := s.MaskResponse(home, resp, NewValues([]app.Secret{app.NewSecret(c.known)})); err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if string(body) != "log: "+c.want+"." || err != nil || resp.Header.Get("X-Header") != c.want {
				t.Errorf("%s: %q, %v, header %q", name, body, err, resp.Header.Get("X-Header"))
			}
		}
	}
}

const pythonEncoders = `
import base64, html, json, sys, urllib.parse, xml.sax.saxutils
import httpx, requests
out = []
for line in sys.stdin:
    v = bytes.fromhex(line).decode()
    b = v.encode()
    out.append({
        "repr": repr(v), "ascii": ascii(v), "bytes": repr(b), "in a list": repr([v, {v: v}]), "json": json.dumps(v),
        "json, raw": json.dumps(v, ensure_ascii=False),
        "json in json": json.dumps({"body": json.dumps({"k": v})}), "quote": urllib.parse.quote(v),
        "quote all": urllib.parse.quote(v, safe=""),
        "quote plus": urllib.parse.quote_plus(v), "urlencode": urllib.parse.urlencode({"k": v}),
        "twice": urllib.parse.quote(urllib.parse.quote(v, safe=""), safe=""),
        "html": html.escape(v), "html, no quotes": html.escape(v, quote=False), "xml": xml.sax.saxutils.escape(v),
        "xml attribute": xml.sax.saxutils.quoteattr(v)[1:-1],
        "hex": b.hex(), "HEX": b.hex().upper(), "b64": base64.b64encode(b).decode(),
        "b64 url": base64.urlsafe_b64encode(b).decode(),
        "b64 +1": base64.b64encode(b":" + b).decode(), "b64 +2": base64.b64encode(b"u:" + b).decode(),
        "requests": requests.Request("GET", "http://h/", params={"k": v}).prepare().url,
        "httpx": str(httpx.URL("http://h/", params={"k": v})),
        "requests basic": requests.auth._basic_auth_str("user", b),
        "form": requests.Request("POST", "http://h/", data={"k": v}).prepare().body,
    })
print(json.dumps(out))
`

func TestPythonsEncoders(t *testing.T) {
	values := []string{secretA, secretB, `it's "quoted" \ and / + = & <b> ? #`,
		"a line\nand\tanother\r\nline", "p\u00e4ssw\u00f6rd-with-\U0001F600-inside", "~!*()'-._$,;:@[]{}|^`%41 x"}
	command := exec.CommandContext(t.Context(), "/usr/bin/python3", "-c", pythonEncoders)
	var lines []string
	var all []secrets.Resolved
	for _, value := range values {
		lines = append(lines, hex.EncodeToString([]byte(value)))
		all = append(all, credential("K"+lines[len(lines)-1], value, home.Host))
	}
	command.Stderr = os.Stderr
	command.Stdin = strings.NewReader(strings.Join(lines, "\n"))
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var texts []map[string]string
	if err := json.Unmarshal(out, &texts); err != nil {
		t.Fatal(err)
	}
	s := New(all)
	for i, value := range values {
		for name, text := range texts[i] {
			got := receive(t, s, text)
			placeholder := all[i].Placeholder
			small := strings.ToLower(got)
			if !strings.Contains(small, placeholder) && !strings.Contains(small, hex.EncodeToString([]byte(placeholder))) {
				t.Errorf("%s of %q: %q became %q", name, value, text, got)
			}
		}
	}
}
