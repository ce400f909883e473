package plugins

import (
	"strings"
	"testing"
)

func TestReadSettings(t *testing.T) {
	var text, path, word string
	var on bool
	readers := map[string]func(string) error{"text": Text(&text), "path": Path(&path), "on": Bool(&on),
		"word": OneOf(&word, "a", "b")}
	err := ReadSettings("box", map[string]string{"text": " x ", "path": "/srv/a", "on": "true", "word": "b"}, readers)
	if err != nil || text != " x " || path != "/srv/a" || !on || word != "b" {
		t.Errorf("%v: %q %q %v %q", err, text, path, on, word)
	}
	for _, tt := range []struct{ name, value, says string }{
		{"texts", "",
			`setting "texts": unknown setting; there are AIRLOCK_PLUGIN_BOX_ON, AIRLOCK_PLUGIN_BOX_PATH, ` +
				`AIRLOCK_PLUGIN_BOX_TEXT, AIRLOCK_PLUGIN_BOX_WORD`},
		{"path", "srv", "absolute"},
		{"path", "/srv/../etc", "clean"},
		{"path", "", "absolute"},
		{"on", "maybe", `setting "on"`},
		{"word", "c", "none of a, b"},
	} {
		if err := ReadSettings("box", map[string]string{tt.name: tt.value}, readers); err == nil ||
			!strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s=%q: %v, want %q", tt.name, tt.value, err, tt.says)
		}
	}
}
