package store

import (
	"slices"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// Only questions that have waited long are listed, oldest first. New, answered and ended ones are
// not.
func TestUnansweredQuestionsAreListed(t *testing.T) {
	s := queue(t)
	for i, handle := range []string{"new", "old", "older", "answered", "over"} {
		enqueue(t, s, handle, "a", start)
		claim(t, s)
		asked := start.Add(-time.Duration(i) * time.Minute)
		write(t, s, func(tx *Tx) error {
			return tx.Questions.Ask(t.Context(), handle, Question{RequestID: "q" + handle, Ordinal: 1,
				Prompt: redact.Fixed("Which?"), At: asked})
		})
	}
	write(t, s, func(tx *Tx) error {
		if _, err := tx.Executions.Finish(t.Context(), "over", Finish{Status: app.StatusTimeout, At: start}); err != nil {
			return err
		}
		return tx.Questions.Answer(t.Context(), "answered", Reply{RequestID: "qanswered", At: start})
	})
	var got []string
	if err := s.Read(t.Context(), func(tx *Tx) error {
		list, err := tx.Questions.ListUnanswered(t.Context(), start.Add(-time.Minute))
		for _, q := range list {
			got = append(got, q.ProfileHandle+" "+q.Handle+" "+q.AskedAt.Sub(start).String())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a older -2m0s", "a old -1m0s"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
