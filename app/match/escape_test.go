package match

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// serializer is the default escaping of a serializer or template engine, after its published rules.
// It has the text for some characters, and a format for all others that are escaped.
type serializer struct {
	special map[byte]string
	format  string            // of the other characters that it escapes
	escapes func(b byte) bool // which those are
}

func (s serializer) write(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch escaped, ok := s.special[c]; {
		case ok:
			b.WriteString(escaped)
		case s.escapes != nil && s.escapes(c):
			fmt.Fprintf(&b, s.format, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// oneOf returns a set of characters, notOneOf the printable ones besides letters, digits and some.
func oneOf(set string) func(byte) bool {
	return func(b byte) bool { return strings.IndexByte(set, b) >= 0 }
}

func notOneOf(set string) func(byte) bool {
	return func(b byte) bool { return !isName(b) && strings.IndexByte(set, b) < 0 }
}

// html is what HTML escapers agree on.
func htmlWith(quote, apostrophe string, more ...string) map[byte]string {
	m := map[byte]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': quote, '\'': apostrophe}
	for _, e := range more {
		m[e[0]] = e[1:]
	}
	return m
}

func jsonWith(more ...string) map[byte]string {
	m := map[byte]string{'"': `\"`, '\\': `\\`}
	for _, e := range more {
		m[e[0]] = e[1:]
	}
	return m
}

var serializers = map[string]serializer{
	"Gson":             {special: jsonWith(`<\u003c`, `>\u003e`, `&\u0026`, `=\u003d`, `'\u0027`)},
	"Jackson":          {special: jsonWith()},
	"Go encoding/json": {special: jsonWith(`<\u003c`, `>\u003e`, `&\u0026`)},
	"Go html/template": {special: htmlWith("&#34;", "&#39;", "+&#43;")},
	"Go html/template in scripts": {special: map[byte]string{'\\': `\\`, '/': `\/`},
		format: `\u%04x`, escapes: oneOf("\"'`&+<=>")},
	"Python json":              {special: jsonWith()},
	"Python html.escape":       {special: htmlWith("&quot;", "&#x27;")},
	"MarkupSafe (Jinja)":       {special: htmlWith("&#34;", "&#39;")},
	"Django escape":            {special: htmlWith("&quot;", "&#x27;")},
	"Django escapejs":          {format: `\u%04X`, escapes: oneOf("\\'\"><&=-;`")},
	"Ruby ERB":                 {special: htmlWith("&quot;", "&#39;")},
	"Rails to_json":            {special: jsonWith(`<\u003c`, `>\u003e`, `&\u0026`)},
	"PHP json_encode":          {special: jsonWith(`/\/`)},
	"PHP json_encode, all hex": {special: jsonWith(`/\/`, `<\u003C`, `>\u003E`, `&\u0026`, `'\u0027`, `"\u0022`)},
	"PHP htmlspecialchars":     {special: htmlWith("&quot;", "&#039;")},
	"PHP urlencode":            {special: map[byte]string{' ': "+"}, format: "%%%02X", escapes: notOneOf("-_.")},
	"Twig js":                  {format: `\u%04X`, escapes: notOneOf("._,")},
	"Twig css":                 {format: `\%X `, escapes: notOneOf("")},
	"Twig html_attr": {special: htmlWith("&quot;", "&#x27;"), format: "&#x%02X;",
		escapes: notOneOf(".-,_&<>\"'")},
	"System.Text.Json":             {special: map[byte]string{'\\': `\\`}, format: `\u%04X`, escapes: oneOf("\"'<>&+`")},
	"Newtonsoft.Json":              {special: jsonWith()},
	".NET HtmlEncode":              {special: htmlWith("&quot;", "&#39;")},
	"OWASP encoder for attributes": {special: htmlWith("&#34;", "&#39;")},
	"OWASP ESAPI HTML": {special: htmlWith("&quot;", "&#x27;"),
		format: "&#x%x;", escapes: notOneOf(",.-_ &<>\"'")},
	"OWASP ESAPI CSS":        {format: `\%x `, escapes: notOneOf("")},
	"Handlebars":             {special: htmlWith("&quot;", "&#x27;", "`&#x60;", "=&#x3D;")},
	"mustache.js":            {special: htmlWith("&quot;", "&#39;", "`&#x60;", "=&#x3D;", "/&#x2F;")},
	"EJS":                    {special: htmlWith("&#34;", "&#39;")},
	"lodash":                 {special: htmlWith("&quot;", "&#39;")},
	"Underscore":             {special: htmlWith("&quot;", "&#x27;", "`&#x60;")},
	"React":                  {special: htmlWith("&quot;", "&#x27;")},
	"JSON.stringify":         {special: jsonWith()},
	"serialize-javascript":   {special: jsonWith(`<\u003C`, `>\u003E`, `/\u002F`)},
	"encodeURIComponent":     {format: "%%%02X", escapes: notOneOf("-_.!~*'()")},
	"escape() of JavaScript": {format: "%%%02X", escapes: notOneOf("@*_+-./")},
	"FreeMarker ?js_string": {special: map[byte]string{'"': `\"`, '\'': `\'`, '\\': `\\`, '/': `\/`, '>': `\>`,
		'<': `\u003C`}},
	"Thymeleaf":       {special: htmlWith("&quot;", "&#39;")},
	"Java URLEncoder": {special: map[byte]string{' ': "+"}, format: "%%%02X", escapes: notOneOf("-_.*")},
	"Spring JavaScriptUtils": {special: map[byte]string{'\'': `\'`, '"': `\"`, '\\': `\\`, '/': `\/`,
		'<': `\u003C`, '>': `\u003E`}},
	"Python repr":                   {special: map[byte]string{'\\': `\\`, '\'': `\'`}},
	"Perl URI::Escape":              {format: "%%%02X", escapes: notOneOf("-_.!~*'()")},
	"quoted-printable":              {format: "=%02X", escapes: oneOf("=")},
	"CSV":                           {special: map[byte]string{'"': `""`}},
	"YAML, single quotes":           {special: map[byte]string{'\'': "''"}},
	"TOML, YAML, double quotes":     {special: jsonWith()},
	"Python shlex.quote":            {special: map[byte]string{'\'': `'"'"'`}},
	"bash printf %q":                {format: `\%c`, escapes: notOneOf("-_./:=@%+")},
	"libxml":                        {special: htmlWith("&quot;", "'")},
	"XStream":                       {special: htmlWith("&quot;", "&apos;")},
	"MySQL mysql_real_escape":       {special: map[byte]string{'\'': `\'`, '"': `\"`, '\\': `\\`}},
	"PostgreSQL bytea, escape form": {special: map[byte]string{'\\': `\\`, '\'': "''"}},
	"C, octal":                      {format: `\%03o`, escapes: notOneOf("")},
	"LDAP filter":                   {format: `\%02x`, escapes: oneOf(`*()\`)},
	"JSON Pointer":                  {special: map[byte]string{'~': "~0", '/': "~1"}},
	"Datasette":                     {special: map[byte]string{' ': "+"}, format: "~%02X", escapes: notOneOf("-_")},
	".NET XmlConvert.EncodeName":    {format: "_x%04X_", escapes: notOneOf("-._")},
	"PowerShell, double quotes":     {format: "`%c", escapes: oneOf("$`\"")},
	"cmd.exe":                       {format: "^%c", escapes: oneOf("&|<>^()%!\"")},
}

// Every serializer, and every two combined, give nothing away.
func TestSerializers(t *testing.T) {
	values := []string{"q7/Vt+9Lr2Xc4Zb8Nm1Kp6Hs3Wd5Yf0Gj==", `pa"ss'w<o>rd&with=all+of/it\and;more:`,
		"user-with_dots.and~tildes!and(more)*", "a b c d e f g h"}
	for _, value := range values {
		f := strong(value)
		for name, s := range serializers {
			text := s.write(value)
			if got := found(f, "x "+text+" y"); !strings.HasPrefix(got, "x [") ||
				strings.Count(got, "[")-strings.Count(text, "[") != 1 {
				t.Errorf("%s: %q is found as %q", name, text, got)
			}
			for outer, o := range serializers {
				if outer == "LDAP filter" { // "\5c " may also be one of CSS, with the space that ends it
					continue
				}
				if twice := o.write(text); len(f.Find([]byte(twice))) == 0 {
					t.Errorf("%s in %s: %q is not found", name, outer, twice)
				}
			}
		}
	}
}

// bytesAsObject is what JSON.stringify makes of a Uint8Array.
func bytesAsObject(text, format, between string) string {
	var members []string
	for i, b := range []byte(text) {
		members = append(members, fmt.Sprintf(format, i, b))
	}
	return "{" + strings.Join(members, between) + "}"
}

func TestHoleM1NumberedBytes(t *testing.T) {
	value := `sk+live/51Hx"Q\zT=<9>&'uV`
	f := strong(value)
	long := strings.Repeat("#", 990) + value // with names above 255
	for name, text := range map[string]string{
		"JSON.stringify":       bytesAsObject(long, `"%d":%d`, ","),
		"far behind":           strings.ReplaceAll(bytesAsObject(value, `"1234567%d":%d`, ","), "{", "["),
		"indented":             bytesAsObject(value, `"%d": %d`, ",\n  "),
		"of a text of JSON":    strconv.Quote(bytesAsObject(value, `"%d":%d`, ",")),
		"in a query":           url.QueryEscape(bytesAsObject(value, `"%d":%d`, ",")),
		"console.log, Python":  bytesAsObject(value, `%d: %d`, ", "),
		"behind other numbers": `{"at": 1764100000, "bytes": ` + bytesAsObject(value, `"%d":%d`, ",") + "}",
	} {
		got := f.Find([]byte(text))
		if len(got) != 1 || got[0].Layer != Numbers && name != "in a query" {
			t.Errorf("%s: %q: %v", name, text, got)
		}
	}
}

func TestHoleM1EncodedInTaggedLines(t *testing.T) {
	value := `sk+live/51Hx"Q\zT=<9>&'uV`
	f := strong(value)
	for _, text := range []string{base64.StdEncoding.EncodeToString([]byte(value)), hex.EncodeToString([]byte(value))} {
		for _, br := range []string{"<br>", "<br/>", "<br />\n", "<BR>\r\n", "<br>\n    "} {
			if lines := wrap(text, 10, br); len(f.Find([]byte("<p>"+lines+"</p>"))) == 0 {
				t.Errorf("%q is not found", lines)
			}
		}
	}
}
