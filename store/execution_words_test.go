package store

import (
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// Chinese, Japanese and Thai are written without spaces: a word is any run of characters.
func TestWordsWithoutSpacesAreFound(t *testing.T) {
	s := queue(t)
	for handle, printed := range map[string]string{
		"zh": "第三季度销售额增长了15%", "ja": "売上高を計算しました report", "th": "ยอดขายรวมเดือนนี้", "en": "sales of the quarter",
	} {
		enqueue(t, s, handle, "a", start)
		write(t, s, func(tx *Tx) error {
			clean, _ := redact.New(nil).Text(printed)
			_, err := tx.Executions.Finish(t.Context(), handle,
				Finish{Status: app.StatusCancelled, Stdout: clean, At: start})
			return err
		})
	}
	for text, want := range map[string]string{
		"销售": "zh", "增长了15": "zh", "季": "zh", "計算": "ja", "売上高": "ja", "report": "ja", "ขาย": "th", "เดือน": "th",
		"sales": "en", "sale": "", "售销": "", "上売": "",
	} {
		got := ""
		for _, x := range onePage(t, s, ExecutionFilter{Text: text, Limit: 5}).Executions {
			got += x.Handle
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}
