package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/internal/underload"
)

// TestOverloadSeesWrongAnswers: what the measurements under load look at in an answer can be wrong,
// and is an error then.
func TestOverloadSeesWrongAnswers(t *testing.T) {
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
	refused := fmt.Sprintf(`{"error":{"code":"queue_full",`+
		`"message":"this profile has %d executions waiting already","hint":"Wait."}}`, overloadQueued)
	for _, x := range []struct {
		after, text string
		good        bool
	}{
		{"5", refused, true}, {"", refused, false}, {"0", refused, false}, {"soon", refused, false}, {"5", "", false},
		{"5", strings.Replace(refused, "queue_full", "rate_limited", 1), false},
		{"5", strings.Replace(refused, "Wait.", "", 1), false},
		{"5", strings.Replace(refused, fmt.Sprint(overloadQueued), "17", 1), false},
	} {
		if wait, err := refusal(x.after, []byte(x.text)); (err == nil) != x.good || wait <= 0 {
			t.Errorf("%q %s: %s %v", x.after, x.text, wait, err)
		}
	}
	var f flooded
	if f.add("exec_a", "1") != nil || f.add("exec_a", "2") == nil || f.add("", "3") == nil {
		t.Errorf("accepted: %v", f.ids)
	}
	if complaint(nil, `{"level":"INFO"}`) != nil || complaint(nil, `{"level":"ERROR"}`) == nil ||
		complaint(nil, "panic: x") == nil || complaint(errors.New("exit status 2"), "") == nil {
		t.Error("a server's bad end is not noticed, or a good one is")
	}
	if !strings.Contains(verdict(overloadAim+1, overloadAim), "MISSED") ||
		strings.Contains(verdict(overloadAim, overloadAim), "MISSED") {
		t.Error("an aim that was missed is not told of, or one that was met is")
	}
}
