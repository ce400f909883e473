package transfer

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/app/transfer/content"
)

// update writes what is missing for a new content version. What is there is never written again:
// those files exist outside, too.
//
//nolint:gochecknoglobals // a flag of the test program
var update = flag.Bool("update", false, "write the golden files of a new content version")

func golden(version int, end string) string {
	return fmt.Sprintf("testdata/content-%d.%s", version, end)
}

func newGolden(t *testing.T, path string, text []byte) {
	t.Helper()
	if !*update {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if os.IsExist(err) {
		return
	}
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Files that were written once are read for ever: by today's program and by the plain reader in
// docs, which find the very same lines in them. Their passphrase is the one of the tests.
func TestGoldenFilesAreRead(t *testing.T) {
	if *update {
		h, _, _ := furnished(t, "aaaa")
		second := newFixture(t, "bbbb") // so that there is an archived audit log, too
		second.take(h.export(Selection{History: true, Artifacts: true}), Choice{History: true})
		second.cfg.Cost = archive.DefaultCost()
		file := second.export(Selection{History: true, Artifacts: true})
		newGolden(t, golden(content.Version, "airlock"), file)
		newGolden(t, golden(content.Version, "jsonl"), must[[]byte](t)(unsealed(file)))
	}
	for version := 1; version <= content.Version; version++ {
		file, want := must[[]byte](t)(os.ReadFile(golden(version, "airlock"))),
			must[[]byte](t)(os.ReadFile(golden(version, "jsonl")))
		got := must[[]byte](t)(unsealed(file))
		if !bytes.Equal(got, want) {
			t.Errorf("version %d: today's reader finds %d bytes, %d are right", version, len(got), len(want))
		}
		python := exec.CommandContext(t.Context(), "/usr/bin/python3", "../../docs/read_airlock.py",
			golden(version, "airlock"))
		python.Stdin = strings.NewReader(words + "\n")
		if got := must[[]byte](t)(python.Output()); !bytes.Equal(got, want) {
			t.Errorf("version %d: the reader in docs finds %d bytes, %d are right", version, len(got), len(want))
		}
		fresh := newFixture(t, "cccc")
		counts := must[content.Counts](t)(fresh.Fill(t.Context(), upload(file), nil))
		if counts.Credentials == 0 || counts.Profiles == 0 || counts.Policies == 0 || counts.Executions == 0 ||
			counts.Parts == 0 || counts.Days == 0 || counts.Events == 0 || counts.Archived == 0 {
			t.Errorf("version %d: something is not in the golden file: %+v", version, counts)
		}
		again := newFixture(t, "dddd")
		plan := again.plan(file)
		if report := again.take(file, Choice{History: true, Overwrite: true}); report.Profiles != counts.Profiles ||
			report.Executions != counts.Executions || plan.File != counts {
			t.Errorf("version %d: %+v", version, report)
		}
	}
}

// What lines may say is written down. A member more, fewer or of another type is another content
// version: raise Version, let -update write the files of the new one, and keep reading the
// old ones.
func TestContentIsWhatItsVersionSays(t *testing.T) {
	var got bytes.Buffer
	members(&got, "", reflect.TypeOf(content.Record{}))
	newGolden(t, golden(content.Version, "txt"), got.Bytes())
	want := must[[]byte](t)(os.ReadFile(golden(content.Version, "txt")))
	if sorted := func(text []byte) []string { // JSON members have no order
		return slices.Sorted(strings.Lines(string(text)))
	}; !slices.Equal(sorted(got.Bytes()), sorted(want)) {
		t.Errorf("the lines have changed and content.Version has not; they are now:\n%s", got.String())
	}
}

// members writes the names and types of all members of a JSON value of a type.
func members(w io.Writer, path string, kind reflect.Type) {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice && kind.Elem().Kind() != reflect.Uint8 {
		if kind.Kind() == reflect.Slice {
			path += "[]"
		}
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.Struct || kind == reflect.TypeOf(time.Time{}) || kind == reflect.TypeOf(app.Secret{}) {
		_, _ = fmt.Fprintln(w, path, kind.Kind())
		return
	}
	outer := map[string]bool{}
	for i := range kind.NumField() {
		if f := kind.Field(i); !f.Anonymous {
			outer[memberName(f)] = true
		}
	}
	for i := range kind.NumField() {
		f := kind.Field(i)
		name := memberName(f)
		switch {
		case f.Anonymous:
			for j := range f.Type.NumField() { // a member of the outer record hides the row's
				if inner := f.Type.Field(j); memberName(inner) != "-" && !outer[memberName(inner)] {
					members(w, path+"."+memberName(inner), inner.Type)
				}
			}
		case name != "-":
			members(w, path+"."+name, f.Type)
		}
	}
}

func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return f.Name
	}
	return name
}
