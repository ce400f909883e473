package transfer

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/store"
)

// An execution from a time of larger limits is an error that names it, not a file that nobody can
// read.
func TestNoLineIsWrittenThatCannotBeRead(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	db := must[*sql.DB](t)(sql.Open("sqlite", filepath.Join(h.Dir, store.FileName)+"?_pragma=busy_timeout(10000)"))
	must[sql.Result](t)(db.ExecContext(t.Context(),
		"UPDATE execution_outputs SET stdout = CAST(zeroblob(12000000) AS TEXT)"))
	h.No(db.Close())
	_, err := h.Export(t.Context(), person(), io.Discard, app.NewSecret(words), Selection{History: true}, nil)
	wantCode(t, "export", err, app.CodeTooLarge)
	if err == nil || !strings.Contains(err.Error(), "execution ") {
		t.Errorf("%v", err)
	}
	_, err = h.Export(t.Context(), person(), io.Discard, app.NewSecret(words), Selection{}, nil)
	h.No(err)
}

// A file may hold U+2028 as it is, where a file of ours has it escaped, in twice the bytes.
func TestALineThatGrowsWhenItIsWrittenAgainIsRefused(t *testing.T) {
	evil, _, _ := furnished(t, "aaaa")
	var file bytes.Buffer
	sealed := must[*archive.Writer](t)(archive.NewWriter(&file, app.NewSecret(words), evil.cfg.Cost))
	for _, r := range evil.dump(all()) {
		line := must[[]byte](t)(json.Marshal(r))
		if r.Output != nil {
			line = bytes.Replace(line, []byte(`"stdout":"`), []byte(`"stdout":"`+strings.Repeat("\u2028", 12_000_000)), 1)
		}
		must[int](t)(sealed.Write(append(line, '\n')))
	}
	h := newFixture(t, "bbbb")
	h.No(sealed.Close())
	_, err := h.Plan(t.Context(), person(), upload(file.Bytes()), nil)
	wantCode(t, "plan", err, app.CodeInvalidField)
	if err == nil || !strings.Contains(err.Error(), "in a file that Airlock writes") {
		t.Errorf("%v", err)
	}
}
