package app

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html/template"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
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

// revealers are the files that may reveal a Secret, with the reason. Tests may too. Keep it short:
// each entry is a possible leak.
var revealers = map[string]string{
	"app/credentials/change.go":              "seals a value that a person set",
	"app/policy/references.go":               "reads the host name that a plain key holds",
	"app/auth/enrollment.go":                 "measures a token before hashing it",
	"app/auth/monitor.go":                    "measures a token before hashing it",
	"app/auth/sessions.go":                   "hashes a session's cookie",
	"app/auth/admin_token.go":                "measures the admin token and looks it up by a keyed hash",
	"app/auth/internal/passwordhash/hash.go": "hashes the admin token and passwords",
	"app/credentials/search_sets.go":         "measures the values that are searched for",
	"app/credentials/values.go":              "hashes a value from Vault, to tell it from its successor",
	"app/access/accesstest/desk.go":          "compares values in tests",
	"app/client/client.go":                   "sends the agent's own profile id to the agent API",
	"app/password.go":                        "checks a password that a person chose",
	"app/credential.go":                      "checks a value that a person typed",
	"app/value_facts.go":                     "measures a value that a person pasted",
	"app/egress/swap/values.go":              "puts the values in and looks for them in responses",
	"app/runner/secrets.go":                  "hands the values to the box, at the very last moment",
	"app/redact/known.go":                    "looks for the values",
	"app/redact/fields/explain.go":           "names the secret parts of a value that a person set",
	"app/secret.go":                          "compares two values",
	"app/transfer/archive/header.go":         "stretches a passphrase into the key of a file",
	"app/transfer/archive/passphrase.go":     "checks a passphrase that a person chose",
	"app/transfer/transfertest/instance.go":  "compares values, in tests",
	"app/blobs/s3.go":                        "signs requests to the storage of backups",
	"app/backups/settings.go":                "seals the passphrase of backups and the secret of their storage",
	"app/weak.go":                            "rates a value that a person typed",
	"app/secrets/instance.go":                "trims the key from the environment",
	"app/secrets/key.go":                     "derives subkeys of the instance key",
	"app/web/ui/login/login.go":              "sets the session's cookie",
	"app/web/ui/settings/people.go":          "shows a new invitation to the person who asked for it",
	"cmd/airlock/internal/admin/user.go":     "prints a new admin token to the operator who asked for it",
	"cmd/airlock/serve.go":                   "prints the admin token of the first boot",
	"app/secrets/vault/errors.go":            "masks Airlock's own token and secret id in what Vault says",
	"app/secrets/vault/session.go":           "shows Vault the token or the secret id of Airlock",
}

// TestOnlyRevealersReveal reads the source of the whole module.
func TestOnlyRevealersReveal(t *testing.T) {
	root := ".."
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files++
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		reveals, err := reveals(path)
		if reveals {
			found[filepath.ToSlash(rel)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Errorf("only %d files were read", files)
	}
	for file := range found {
		if revealers[file] == "" {
			t.Errorf("%s calls Reveal; pass the Secret on instead, or add the file to revealers with the reason", file)
		}
	}
	for file := range revealers {
		if !found[file] {
			t.Errorf("%s doesn't call Reveal any more; take it off revealers", file)
		}
	}
}

// reveals reports whether a file calls Reveal or takes it as a value.
func reveals(path string) (bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		found = found || ok && selector.Sel.Name == "Reveal"
		return !found
	})
	return found, nil
}
