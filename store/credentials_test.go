package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// The list is newest first and spans all keys. It leaves out other credentials and requests without
// a value.
func TestSentValuesAreTheRequestsThatHadTheCredential(t *testing.T) {
	s := queue(t)
	for i, c := range []struct {
		key, credential string
		ledger          []Connection
	}{
		{"KEY", "c1", []Connection{
			{Path: redact.Fixed("/a"), Connection: app.Connection{Line: 3, Status: 200, Credentials: []string{"KEY"}}},
			{Path: redact.Fixed("/none")}}},
		{"TOKEN", "c1", []Connection{
			{Path: redact.Fixed("/b"), Connection: app.Connection{Credentials: []string{"OTHER", "TOKEN"}, Status: 401}}}},
		{"KEY", "c2", []Connection{
			{Path: redact.Fixed("/other"), Connection: app.Connection{Credentials: []string{"KEY"}}}}},
		{"KE", "c1", []Connection{
			{Path: redact.Fixed("/longer"), Connection: app.Connection{Credentials: []string{"KEY"}}}}},
	} {
		handle := fmt.Sprintf("x%d", i)
		enqueue(t, s, handle, "a", start)
		claim(t, s)
		f := Finish{Status: app.StatusCompleted, At: start}
		for _, row := range c.ledger {
			row.Port, row.Count, row.Verdict, row.StartedAt = 443, 1, app.VerdictAllowed, start.Add(time.Second)
			row.Host, row.Method = redact.Fixed("api.acme.test"), redact.Fixed("GET")
			f.Network = append(f.Network, row)
		}
		write(t, s, func(tx *Tx) error {
			values := []ExecutionValue{{Key: c.key, CredentialID: c.credential, Version: 1, Mode: app.ModeSealed}}
			if err := tx.Queue.Dispatch(t.Context(), handle, Dispatch{Values: values, At: start}); err != nil {
				return err
			}
			_, err := tx.Executions.Finish(t.Context(), handle, f)
			return err
		})
	}
	var got []string
	if err := s.Read(t.Context(), func(tx *Tx) error {
		list, err := tx.Executions.SentValues(t.Context(), "c1")
		for _, v := range list {
			got = append(got, fmt.Sprint(v.Execution, " ", v.Profile, " ", v.Method, " ", v.Host, v.Path, " ", v.Status, " ", v.Line))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{"x1 profile a GET api.acme.test/b 401 0", "x0 profile a GET api.acme.test/a 200 3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var plan []struct{ Detail string }
	if err := s.reader.Raw("EXPLAIN QUERY PLAN "+sentValues, "c1", "c1", 1000, 20).Scan(&plan).Error; err != nil {
		t.Fatal(err)
	}
	for _, step := range plan {
		if strings.HasPrefix(step.Detail, "SCAN v") || strings.Contains(step.Detail, "FOR ORDER BY") {
			t.Errorf("it costs more with each execution: %s", step.Detail)
		}
	}
}
