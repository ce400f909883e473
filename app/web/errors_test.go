package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

func TestInternalErrorsTellNothing(t *testing.T) {
	t.Parallel()
	id := app.NewProfileID()
	wrapped := app.E(app.CodeConflict, "it changed", "Read it again.")
	wrapped.Cause = errors.New("SQL constraint of " + id)
	kept := app.E(app.CodeStorageBusy, "another program keeps the database", "Try again.")
	kept.Cause = errors.New("SQL is busy with " + id)
	for _, c := range []struct {
		err    error
		status int
		shown  string
	}{
		{errors.New("SQL says no to " + id), 500, "something went wrong inside"},
		{fmt.Errorf("while looking: %w", errors.New("SQL")), 500, "something went wrong inside"},
		{fmt.Errorf("SQL: %w", wrapped), 409, "it changed"},
		{fmt.Errorf("engine: %w", kept), 503, "keeps the database"},
	} {
		log := &syncBuffer{}
		s := New(Config{Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		recorder := httptest.NewRecorder()
		s.fail(c.err, echo.New().NewContext(httptest.NewRequest("GET", "/health", nil), recorder))
		if body := recorder.Body.String(); recorder.Code != c.status || !strings.Contains(body, c.shown) ||
			strings.Contains(body, "SQL") {
			t.Errorf("%v: %d %s", c.err, recorder.Code, body)
		}
		if after := recorder.Header().Get("Retry-After"); (after == "5") != (c.status == 503) {
			t.Errorf("%v: Retry-After %q", c.err, after)
		}
		if !strings.Contains(log.String(), "SQL") || strings.Contains(log.String(), id) {
			t.Errorf("%v: logged %s", c.err, log)
		}
	}
}
