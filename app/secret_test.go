package app

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html/template"
	"log/slog"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const hidden = "hunter2-hunter2"

func TestSecretIsNotPrinted(t *testing.T) {
	s := NewSecret(hidden)
	type holder struct {
		Name  string
		Value Secret
		Next  *Secret
		Many  []Secret
		ByKey map[string]Secret
		Any   any
	}
	all := holder{"n", s, &s, []Secret{s}, map[string]Secret{"k": s}, s}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T %v", "%p", "%10.3s", "%08b"} {
		for _, v := range []any{s, &s, all, &all, []any{s}} {
			if text := fmt.Sprintf(verb, v, v); leaks(text) {
				t.Errorf("%s of %T prints %s", verb, v, text)
			}
		}
	}
	for _, text := range []string{fmt.Sprint(s), fmt.Sprintln(all), fmt.Errorf("x: %v", s).Error(), s.String(),
		s.GoString()} {
		if leaks(text) || !strings.Contains(text, Masked) {
			t.Errorf("printed as %s", text)
		}
	}
}

func TestSecretIsNotLogged(t *testing.T) {
	var out bytes.Buffer
	s := NewSecret(hidden)
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("m", "s", s, "p", &s, "in", struct{ S Secret }{s}, slog.Group("g", "s", s), "list", []Secret{s})
	}
	if leaks(out.String()) || !strings.Contains(out.String(), Masked) {
		t.Errorf("logged as %s", out.String())
	}
}

func TestSecretIsNotMarshalled(t *testing.T) {
	s := NewSecret(hidden)
	encoders := map[string]func(any) ([]byte, error){
		"json": json.Marshal,
		"xml":  xml.Marshal,
		"gob": func(v any) ([]byte, error) {
			var out bytes.Buffer
			err := gob.NewEncoder(&out).Encode(v)
			return out.Bytes(), err
		},
		"template": func(v any) ([]byte, error) {
			var out bytes.Buffer
			err := template.Must(template.New("").Parse(`<p>{{.S}}</p><script>{{.S}}</script>`)).Execute(&out, v)
			return out.Bytes(), err
		},
	}
	for name, encode := range encoders {
		for _, v := range []any{struct{ S Secret }{s}, struct{ S *Secret }{&s}, struct{ S any }{s}} {
			out, err := encode(v)
			if leaks(string(out)) || (err != nil && leaks(err.Error())) {
				t.Errorf("%s: %s, %v", name, out, err)
			}
			if err == nil && name != "template" {
				t.Errorf("%s marshalled a Secret as %s", name, out)
			}
		}
	}
	if _, err := json.Marshal(map[Secret]int{s: 1}); err == nil {
		t.Error("a Secret was marshalled as a key")
	}
	if _, err := s.MarshalText(); err == nil {
		t.Error("MarshalText gave text")
	}
	if _, err := s.MarshalBinary(); err == nil {
		t.Error("MarshalBinary gave bytes")
	}
}

func leaks(text string) bool {
	return strings.Contains(text, "hunter") || strings.Contains(strings.ToLower(text), fmt.Sprintf("%x", "hunter"))
}

func TestSecretValue(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a, b := rapid.String().Draw(r, "a"), rapid.String().Draw(r, "b")
		s := NewSecret(a)
		if s.Reveal() != a || s.Empty() != (a == "") || !s.Equal(NewSecret(a)) || s.Equal(NewSecret(b)) != (a == b) {
			r.Fatalf("%q, %q", a, b)
		}
	})
}
