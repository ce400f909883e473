package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/internal/underload"
)

// TestWrongAnswersAreSeen: a benchmark that counts wrong answers as quick ones measures nothing.
func TestWrongAnswersAreSeen(t *testing.T) {
	page := "<!doctype html>\n<title>Overview · Airlock</title><div id=\"live\"></div></html>\n"
	for text, whole := range map[string]bool{
		page: true, strings.Replace(page, "Overview", "Something went wrong", 1): false,
		strings.Replace(page, ` id="live"`, "", 1): false, strings.TrimSuffix(page, "</html>\n"): false,
		"x" + page: false, "": false,
	} {
		if underload.WholePage(text, "Overview") != whole {
			t.Errorf("a whole page: %t: %s", !whole, text)
		}
	}
	well := `{"status":"ok","sandbox":{"ready":true},"retired":false,"paused":false,"full":false}`
	for text, good := range map[string]bool{
		well: true, strings.Replace(well, "ok", "no", 1): false,
		strings.Replace(well, "ready\":true", "ready\":false", 1):   false,
		strings.Replace(well, `retired":false`, `retired":true`, 1): false,
		strings.Replace(well, `paused":false`, `paused":true`, 1):   false,
		strings.Replace(well, `full":false`, `full":true`, 1):       false, "{}": false, "ok": false, "": false,
	} {
		if err := underload.CheckHealth([]byte(text)); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
	right := `{"execution_id":"exec_a","status":"completed","result":"n1","stdout":"","stderr":""}`
	for text, good := range map[string]bool{
		right: true, strings.Replace(right, "n1", "n2", 1): false, strings.Replace(right, `"n1"`, "null", 1): false,
		strings.Replace(right, "completed", "error", 1):               false,
		strings.Replace(right, `stdout":"`, `stdout":"x`, 1):          false,
		strings.Replace(right, `stderr":"`, `stderr":"x`, 1):          false,
		strings.Replace(right, `"status"`, `"error":"x","status"`, 1): false, "{}": false,
	} {
		var x endedView
		must(t, json.Unmarshal([]byte(text), &x))
		if err := x.returned(`"n1"`); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
	if complaint(nil, `{"level":"INFO"}`) != nil || complaint(nil, `{"level":"ERROR"}`) == nil ||
		complaint(nil, "panic: x") == nil || complaint(errors.New("exit status 2"), "") == nil {
		t.Error("a server's bad end is not noticed, or a good one is")
	}
}
