package content

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/computclaw/airlock/app"
)

func TestStrictLines(t *testing.T) {
	open := `{"airlock":{"content":1,"program":"x","instance":"aa","made_at":1,"history":true}}` + "\n"
	end := `{"end":{"counts":{"credentials":0,"profiles":0,"policies":0,"executions":0,` +
		`"parts":0,"days":0,"people":0,"events":0}}}` + "\n"
	readAll := func(r io.Reader) error {
		in, err := Read(r, false)
		if err != nil {
			return err
		}
		return in.History(func(Record) error { return nil })
	}
	if err := readAll(strings.NewReader(open + end)); err != nil {
		t.Fatal(err)
	}
	if err := readAll(iotest.OneByteReader(strings.NewReader(open + end))); err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string]string{
		"empty": "", "no opening": end, "opening twice": open + open + end, "two ends": open + end + end, "no end": open,
		"cut end": open + end[:len(end)-1], "text behind": open + end + "x\n",
		"unknown kind":   open + `{"wish":{}}` + "\n" + end,
		"unknown member": open + `{"stats":{"profile_handle":"a","start":1,"wish":1}}` + "\n" + end,
		"two kinds":      open + `{"stats":{},"event":{}}` + "\n" + end, "no kind": open + "{}\n" + end,
		"null kind":              open + `{"stats":null}` + "\n" + end,
		"part without execution": open + `{"script":{"script":"x","clean":"x"}}` + "\n" + end,
		"not JSON":               open + "hello\n" + end,
		"wrong order":            open + `{"event":{"seq":1}}` + "\n" + `{"stats":{}}` + "\n" + end,
		"two values":             open + `{"stats":{}} {"stats":{}}` + "\n" + end,
		"long line":              open + `{"stats":{"profile_handle":"` + strings.Repeat("a", maxLine) + `"}}` + "\n" + end,
		"newer":                  strings.Replace(open, `"content":1`, `"content":99,"new":true`, 1) + end,
	} {
		if err := readAll(strings.NewReader(lines)); app.CodeOf(err) != app.CodeInvalidField {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Three bytes of JSON can take a hundred of memory, so 60 MiB could take gigabytes.
func TestLineOfManyEmptyValues(t *testing.T) {
	list := strings.TrimSuffix(strings.Repeat("{},", 1_000_000), ",")
	first := `{"airlock":{"content":1,"program":"x","instance":"aaaa","made_at":1,"history":false}}` + "\n"
	for name, line := range map[string]string{
		"versions": `{"credential":{"id":"a","name":"A","versions":[` + list + `]}}`,
		"hosts":    `{"profile":{"id":"a","hosts":[` + list + `]}}`,
		"injected": `{"execution":{"id":"a","injected":[` + strings.ReplaceAll(list, "{}", `""`) + `]}}`,
	} {
		_, err := Read(strings.NewReader(first+line+"\n"), false)
		if err == nil || !strings.Contains(err.Error(), "more values") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, member := range []string{"asked_keys", "profiles"} { // of the first line itself
		line := strings.Replace(first, `"history"`, `"`+member+`":[`+strings.ReplaceAll(list, "{}", `""`)+`],"history"`, 1)
		if _, err := Read(strings.NewReader(line), false); err == nil || !strings.Contains(err.Error(), "more values") {
			t.Errorf("%s: %v", member, err)
		}
	}
	// Many lines of fewer values, likewise.
	few := `{"policy":{"profile":"a","body":{"version":1,"keys":[` +
		strings.TrimSuffix(strings.Repeat("{},", 400_000), ",") + `],"hosts":[]}}}` + "\n"
	if _, err := Read(strings.NewReader(first+strings.Repeat(few, 6)), false); err == nil ||
		!strings.Contains(err.Error(), "line 6") {
		t.Errorf("many lines: %v", err)
	}
}
