package proof

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/secrets"
)

// attempt is one case.
type attempt struct {
	Secret  string   // what must not get out
	Value   string   // of which it is a part or a field; "" if it is the whole
	Field   bool     // it is a field, which counts as a value of its own
	Others  []string // further secrets of the same execution
	Forms   []string // names of the encoders, the innermost first
	Text    string   // with the secret in it
	Channel string
}

// makeAttempt makes one at random.
func makeAttempt(r *rand.Rand, all []encoder, depth int) attempt {
	a := attempt{Secret: secret(r), Channel: channels()[r.IntN(len(channels()))]}
	for range r.IntN(3) {
		a.Others = append(a.Others, secret(r))
	}
	switch r.IntN(6) {
	case 0:
		a.Value = valueOf(r, []int{0, 1, 2, 4, 5, 7, 8}[r.IntN(7)])
		a.Secret = partOf(r, a.Value)
		for a.Channel == "split" { // each half may be too short to count
			a.Channel = channels()[r.IntN(len(channels()))]
		}
	case 1:
		a.Secret, a.Field = valueOf(r, []int{0, 1, 6}[r.IntN(3)]), true
		a.Value = structured(r, a.Secret)
	}
	form := a.Secret
	for range r.IntN(depth + 1) {
		e := all[r.IntN(len(all))]
		for a.Value != "" && !a.Field && e.name == "reversed" { // only whole values are found so
			e = all[r.IntN(len(all))]
		}
		form = e.encode(r, form)
		a.Forms = append(a.Forms, e.name)
	}
	a.Text = prose(r) + pick(r, " ", "\n", "=", ": ", `"`, "'", "(", "\t") + form +
		pick(r, " ", "\n", `"`, "'", ")", ", ", "") + prose(r)
	return a
}

func channels() []string {
	return []string{"stdout", "stderr", "error", "value", "key", "nested", "split", "prompt", "path", "script"}
}

// secret is of one of the kinds that people keep.
func secret(r *rand.Rand) string { return valueOf(r, r.IntN(9)) }

func valueOf(r *rand.Rand, kind int) string {
	const word = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	switch kind {
	case 0:
		return letters(r, word, 20+r.IntN(20))
	case 1:
		return hex.EncodeToString([]byte(letters(r, word, 16)))
	case 2:
		raw := make([]byte, 32)
		for i := range raw {
			raw[i] = byte(r.Uint32())
		}
		return base64.StdEncoding.EncodeToString(raw)
	case 3:
		return letters(r, word+"!$%&/()=?+*#-_.:,;<>@^~|{}[]\\\"'` ", 14+r.IntN(10)) + "z"
	case 4:
		return "pä" + letters(r, word+"éßñ€漢", 12) + "ö9"
	case 5:
		return "-----BEGIN PRIVATE KEY-----\n" + letters(r, word+"+/", 64) + "\n" + letters(r, word+"+/", 40) +
			"\n-----END PRIVATE KEY-----"
	case 7:
		return words(r, pick(r, ".", "/", "@", ":", "-", " "))
	case 8:
		return words(r, " ") + "\n" + words(r, pick(r, " ", "-", ""))
	}
	return letters(r, "0123456789", 3) + letters(r, word, 9+r.IntN(4))
}

// words are what looks like words, with a sign between them.
func words(r *rand.Rand, sign string) string {
	list := make([]string, 6)
	for i := range list {
		list[i] = letters(r, "abcdefghijklmnopqrstuvwxyz", 4+r.IntN(4))
	}
	return strings.Join(list, sign)
}

// partOf is a part of a value, or of one of its lines, that is long enough to count: 16 characters.
func partOf(r *rand.Rand, value string) string {
	lines := slices.DeleteFunc(strings.Split(value, "\n"),
		func(line string) bool { return strings.HasPrefix(line, "-----") })
	text := []rune(lines[r.IntN(len(lines))])
	n := min(16, len(text))
	n += r.IntN(max(len(text)-n, 1))
	from := r.IntN(len(text) - n + 1)
	return string(text[from : from+n])
}

// structured is a value of several parts with a secret among them.
func structured(r *rand.Rand, secret string) string {
	name := pick(r, "password", "DB_PASSWORD", "api_key", "token", "clientSecret", "cert_password", "DBPASS2")
	pem := "-----BEGIN PRIVATE KEY-----\n" + letters(r, "abcdefABCDEF0123456789+/", 64) + "\n-----END PRIVATE KEY-----"
	return pick(r,
		"postgresql://app:"+secret+"@db.example:5432/main?sslmode=require",
		"https://h.example/hook?user=app&"+name+"="+secret,
		"host=db.example user=app password="+secret+" dbname=main",
		"Server=db.example;Uid=app;Pwd="+secret+";",
		"REGION=eu-west-1\n"+name+"="+secret+"\nDB_HOST=db.example\n",
		"KEY=\""+strings.ReplaceAll(pem, "\n", `\n`)+"\"\n"+name+"='"+secret+"'\n",
		"[db]\nuser = app\n"+name+" = "+secret+"\n",
		"apiVersion: v1\nusers:\n- name: prod\n  user:\n    "+name+": "+secret+"\n",
		`{"user": "app", "nested": [{"`+name+`": "`+secret+`"}], "port": 5432}`,
		`[{"name": "`+name+`", "value": "`+secret+`"}, {"name": "REGION", "value": "eu-west-1"}]`,
		"user: app\n"+name+":\n- "+secret+"\n- none\n", "host = 'db'\n"+name+" = '''"+secret+"'''\n",
		"Server=db.example;Uid=app;"+name+"={"+secret+"};Encrypt=yes",
		"redis://:x9x9x9@a.example:6379,redis://:"+secret+"@b.example:6379",
		url.QueryEscape("app:"+secret), base64.StdEncoding.EncodeToString([]byte("app:"+secret)),
		"Basic "+base64.URLEncoding.EncodeToString([]byte("app:"+secret)), `"app:`+secret+`"`,
		"app:"+secret, "Bearer "+secret, pem+"\n"+name+": "+secret)
}

func letters(r *rand.Rand, of string, n int) string {
	runes, out := []rune(of), make([]rune, n)
	for i := range out {
		out[i] = runes[r.IntN(len(runes))]
	}
	return string(out)
}

func prose(r *rand.Rand) string {
	words := strings.Fields("the request took 412 ms and returned 17 rows for outlet 9 on 2026-11-20 with total " +
		"1,204.50 {\"ok\": true} <td>Bar</td> a=b&c=d 100% C:\\temp [1, 2, 3]")
	var b strings.Builder
	for range r.IntN(9) {
		b.WriteString(words[r.IntN(len(words))] + pick(r, " ", "\n", " "))
	}
	return b.String()
}

// shown is what came of an attempt: all that anybody gets to see, as Clean.
type shown struct {
	Script, Prompt redact.Clean
	Live           string // what people saw of the output while it came
	redact.Cleaned
}

// send puts the attempt through the redactor as the engine does.
func (a attempt) send(r *rand.Rand, set *patterns.Set) (shown, error) {
	values := []secrets.Resolved{{Key: "KEY", Secret: app.NewSecret(cmp.Or(a.Value, a.Secret))}}
	for i, s := range a.Others {
		values = append(values, secrets.Resolved{Key: fmt.Sprintf("OTHER_%d", i), Secret: app.NewSecret(s)})
	}
	return a.through(r, redact.New(values, redact.Options{Rules: set.Find, Ahead: set.FindAhead}))
}

// unmasked is send where nothing is known and nothing masked.
func (a attempt) unmasked(r *rand.Rand) (shown, error) { return a.through(r, redact.New(nil)) }

func (a attempt) through(r *rand.Rand, red *redact.Redactor) (s shown, err error) {
	var x redact.Execution
	switch a.Channel {
	case "script":
		s.Script, _ = red.Text(a.Text)
		return s, nil
	case "prompt":
		s.Prompt, _ = red.Text(a.Text)
		return s, nil
	case "stdout":
		s.Live, x.Stdout.Raw = a.live(r, red), []byte(a.Text)
	case "stderr":
		s.Live, x.Stderr.Raw = a.live(r, red), []byte(a.Text)
	case "error":
		x.Error = a.Text
	case "path":
		x.Network = []string{"api.example.com", "", "GET", a.Text}
	default:
		x.Result = a.result(r)
	}
	s.Cleaned, err = red.Execution(x)
	return s, err
}

// texts are all that is shown; isJSON if it is one JSON value.
func (s shown) texts() (out []string, isJSON bool) {
	if s.Result != nil {
		return []string{s.Result.String()}, true
	}
	out = []string{s.Live, s.Script.String(), s.Prompt.String(), s.Stdout.String(), s.Stderr.String(), s.Error.String()}
	for _, text := range s.Network {
		out = append(out, text.String())
	}
	return slices.DeleteFunc(out, func(text string) bool { return text == "" }), false
}

// live is what people see while output comes in random pieces; "" of an encoded part, for which the
// first pass promises nothing.
func (a attempt) live(r *rand.Rand, red *redact.Redactor) string {
	var live strings.Builder
	s := red.Stream(func(c redact.Clean) { live.WriteString(c.String()) })
	for rest := a.Text; rest != ""; {
		n := min(len(rest), 1+r.IntN(40))
		_, _ = s.Write([]byte(rest[:n]))
		rest = rest[n:]
	}
	_ = s.Close()
	if len(a.Forms) > 0 && (a.Value != "" && !a.Field || a.Forms[0] == "spaced") {
		return ""
	}
	return live.String()
}

// isJSON reports whether the channel takes a JSON value.
func (a attempt) isJSON() bool {
	return slices.Contains([]string{"value", "key", "nested", "split"}, a.Channel)
}

// result is a JSON value with the text in it. Of a split one each part alone is too little to know
// the secret by.
func (a attempt) result(r *rand.Rand) json.RawMessage {
	var v any
	switch a.Channel {
	case "value":
		v = map[string]any{"rows": 3, "text": a.Text}
	case "key":
		v = map[string]any{a.Text: 1, "b": []any{nil, 2.5}}
	case "nested":
		v = []any{[]any{map[string]any{"a": map[string]any{"b": []any{a.Text}}}}, "ordinary"}
	default:
		runes := []rune(a.Text)
		at := len(runes) / 2
		if len(runes) > 4 {
			at = 1 + r.IntN(len(runes)-2)
		}
		v = []any{string(runes[:at]), string(runes[at:])}
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
