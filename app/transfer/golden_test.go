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

// update writes the golden files of a new content version. Delete them first: files of released
// versions exist outside, too, so they are never overwritten.
//
//nolint:gochecknoglobals // a flag of the test program
var update = flag.Bool("update", false, "write missing golden files of the content version")

func golden(end string) string {
	return fmt.Sprintf("testdata/content-%d.%s", content.Version, end)
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

// Today's program and the plain reader in docs find the same lines in a file that was written once.
// Its passphrase is the one of the tests.
func TestGoldenFileIsRead(t *testing.T) {
	if *update {
		h, _, _ := furnished(t, "aaaa")
		second := newFixture(t, "bbbb") // so that there is an archived audit log, too
		second.take(h.export(Selection{History: true, Artifacts: true}), Choice{History: true})
		second.cfg.Cost = archive.DefaultCost()
		file := second.export(Selection{History: true, Artifacts: true})
		newGolden(t, golden("airlock"), file)
		newGolden(t, golden("jsonl"), must[[]byte](t)(unsealed(file)))
	}
	file, want := must[[]byte](t)(os.ReadFile(golden("airlock"))), must[[]byte](t)(os.ReadFile(golden("jsonl")))
	got := must[[]byte](t)(unsealed(file))
	if !bytes.Equal(got, want) {
		t.Errorf("today's reader finds %d bytes, %d are right", len(got), len(want))
	}
	python := exec.CommandContext(t.Context(), "/usr/bin/python3", "../../docs/read_airlock.py", golden("airlock"))
	python.Stdin = strings.NewReader(words + "\n")
	if got := must[[]byte](t)(python.Output()); !bytes.Equal(got, want) {
		t.Errorf("the reader in docs finds %d bytes, %d are right", len(got), len(want))
	}
	fresh := newFixture(t, "cccc")
	counts := must[content.Counts](t)(fresh.Fill(t.Context(), upload(file), nil))
	if counts.Credentials == 0 || counts.Profiles == 0 || counts.Policies == 0 || counts.Executions == 0 ||
		counts.Parts == 0 || counts.Days == 0 || counts.Events == 0 || counts.Archived == 0 {
		t.Errorf("something is not in the golden file: %+v", counts)
	}
	again := newFixture(t, "dddd")
	plan := again.plan(file)
	if report := again.take(file, Choice{History: true}); report.Profiles != counts.Profiles ||
		report.Executions != counts.Executions || plan.File != counts {
		t.Errorf("%+v", report)
	}
}

// What lines may say is written down. A member more, fewer or of another type is another content
// version. Until version 1 is released: delete its files and let -update write them.
func TestContentIsWhatItsVersionSays(t *testing.T) {
	var got bytes.Buffer
	members(&got, "", reflect.TypeOf(content.Record{}))
	newGolden(t, golden("txt"), got.Bytes())
	want := must[[]byte](t)(os.ReadFile(golden("txt")))
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
