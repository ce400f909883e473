package executions

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/runner"
)

const maxIdempotencyKey = 255

// Submission is what an agent sends.
type Submission struct {
	ProfileID      string
	Script         string
	Inputs         json.RawMessage // nil if none
	Timeout        time.Duration   // 0: the default; more than the configured most: that most
	IdempotencyKey string          // "" if none
	By             app.Actor
	Trace          string // trace id of the request, "" if it has none
}

// check refuses what can't run and fills in the timeout.
func (s *Service) check(sub *Submission) error {
	switch {
	case strings.TrimSpace(sub.Script) == "":
		return app.Invalid("script", "the script is empty", "Send Python source in script.")
	case len(sub.Script) > app.MaxScript:
		return tooLarge("script", app.MaxScript, "Move data into inputs or fetch it in the script.")
	case strings.ContainsRune(sub.Script, 0):
		return app.Invalid("script", "the script contains a NUL byte", "Remove it, or write it as \\0 in a Python string.")
	case !utf8.ValidString(sub.Script):
		return app.Invalid("script", "the script is not valid UTF-8", "Send it in UTF-8.")
	case len(sub.Inputs) > app.MaxInputs:
		return tooLarge("inputs", app.MaxInputs, "Send less, or fetch the data in the script.")
	case sub.Inputs != nil && !json.Valid(sub.Inputs):
		return app.Invalid("inputs", "inputs is not valid JSON", "Send one JSON value.")
	case sub.Timeout < 0:
		return app.Invalid("timeout", "the timeout is negative",
			fmt.Sprintf("Send seconds from 1 to %d, or leave it out.", int(s.cfg.TimeoutMax/time.Second)))
	case len(sub.IdempotencyKey) > maxIdempotencyKey:
		return app.Invalid("Idempotency-Key", fmt.Sprintf("the idempotency key is longer than %d bytes", maxIdempotencyKey),
			"Use a shorter one, such as a UUID.")
	}
	if sub.Timeout == 0 {
		sub.Timeout = s.cfg.TimeoutDefault
	}
	sub.Timeout = min(max(sub.Timeout, time.Millisecond), s.cfg.TimeoutMax)
	return nil
}

func tooLarge(field string, limit int64, hint string) error {
	err := app.E(app.CodeTooLarge, fmt.Sprintf("%s is larger than %s", field, runner.FormatSize(limit)), hint)
	err.Field = field
	return err
}

// key identifies the idempotency key.
func (sub Submission) key() []byte {
	sum := sha256.Sum256([]byte(sub.IdempotencyKey))
	return sum[:]
}

// digest identifies what was submitted, each part with its length. The timeout counts as it will be used.
func (sub Submission) digest() []byte {
	sum := sha256.New()
	inputs := "absent"
	if sub.Inputs != nil {
		inputs = "json:" + string(sub.Inputs)
	}
	for _, part := range []string{sub.Script, inputs, sub.Timeout.String()} {
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		sum.Write([]byte(part))
	}
	return sum.Sum(nil)
}
