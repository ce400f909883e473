package executions

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/store"
)

// Submission is what an agent sends.
type Submission struct {
	ProfileID      string
	Script         string            // "" with Skill
	Skill          string            // NAME, NAME@VERSION or a digest; "" for a script
	Inputs         json.RawMessage   // nil if none
	Timeout        *float64          // seconds; nil: the skill's, or the default
	Label          string            // a name for people and lists; "" if none
	Files          map[string]string // ids by the names that the script knows; nil if none
	IdempotencyKey string            // "" if none
	By             app.Actor
	Trace          string // trace id of the request, "" if it has none

	timeout   time.Duration     // of Timeout, once validated; 0 if it is nil
	files     []store.InputFile // that Files name, once resolved
	version   runnable          // of Skill, once resolved
	placement app.Placement     // of a skill; the zero value is the profile's
}

// minTimeout is the shortest timeout that can be asked for.
const minTimeout = time.Millisecond

// Validate refuses what no profile could run, and reads the timeout. Errors: CodeInvalidField,
// CodeTooLarge.
func (sub *Submission) Validate(allowed app.Timeouts) error {
	sub.Script = strings.TrimPrefix(sub.Script, "\ufeff") // as Python does with a file
	switch {
	case sub.Script != "" && sub.Skill != "":
		return app.Invalid("skill", "script and skill can't both be run", "Send one of them.")
	case strings.TrimSpace(sub.Script) == "" && sub.Skill == "":
		return app.Invalid("script", "the script is empty", `Send Python, such as "set_result(1)".`)
	case len(sub.Script) > app.MaxScript:
		return tooLarge("script", len(sub.Script), app.MaxScript,
			"Move data out of the script: send it as inputs, or fetch it from inside.")
	case strings.ContainsRune(sub.Script, 0):
		return app.Invalid("script", "the script contains a NUL byte", "Remove it, or write it as \\0 in a Python string.")
	case !utf8.ValidString(sub.Script):
		return app.Invalid("script", "the script is not valid UTF-8", "Send it in UTF-8.")
	case len(sub.Inputs) > app.MaxInputs:
		return tooLarge("inputs", len(sub.Inputs), app.MaxInputs,
			"Send it in parts, one execution each, or have the script read it from an allowed host.")
	case sub.Inputs != nil && !json.Valid(sub.Inputs):
		return app.Invalid("inputs", "inputs is not valid JSON", "Send one JSON value.")
	case len(sub.IdempotencyKey) > app.MaxIdempotencyKey || strings.ContainsFunc(sub.IdempotencyKey, notInKey):
		return app.Invalid("Idempotency-Key", fmt.Sprintf(
			"the Idempotency-Key header is not 1 to %d printable ASCII characters without spaces", app.MaxIdempotencyKey),
			"Use a UUID, one for each execution that you mean.")
	}
	if instead := app.AlternativeForScript(sub.Script); instead != "" {
		return app.Invalid("script", "the script is not Python; it was not run", instead)
	}
	if err := app.CheckLabel(sub.Label); err != nil || sub.Timeout == nil {
		return err
	}
	seconds, longest := *sub.Timeout, allowed.Max.Seconds()
	if !(seconds >= minTimeout.Seconds() && seconds <= longest) { // NaN neither
		return app.Invalid("timeout", fmt.Sprintf("timeout must be a number of seconds from %g to %g",
			minTimeout.Seconds(), longest), "Send one in that range, or none.")
	}
	sub.timeout = time.Duration(seconds * float64(time.Second))
	return nil
}

func notInKey(r rune) bool { return r <= ' ' || r > '~' }

func tooLarge(field string, size int, limit int64, hint string) error {
	err := app.E(app.CodeTooLarge, fmt.Sprintf("%s is %d bytes; at most %d are allowed", field, size, limit), hint)
	err.Field = field
	return err
}

// source returns what the box gets to run.
func (sub Submission) source() runner.Source {
	return runner.Source{Script: []byte(sub.Script), Inputs: sub.Inputs, Files: sub.files}
}

// key identifies the idempotency key and its submission, or nil.
func (sub Submission) key() *store.IdempotencyKey {
	if sub.IdempotencyKey == "" {
		return nil
	}
	key := sha256.Sum256([]byte(sub.IdempotencyKey))
	return &store.IdempotencyKey{Key: key[:], Body: sub.digest()}
}

// digest identifies a submission, each part with its length. It includes the effective timeout.
func (sub Submission) digest() []byte {
	sum := sha256.New()
	inputs := "absent"
	if sub.Inputs != nil {
		inputs = "json:" + string(sub.Inputs)
	}
	parts := []string{sub.Script, inputs, sub.timeout.String()}
	if sub.Skill != "" {
		parts = append(parts, "skill:"+sub.version.Digest)
	}
	if sub.Label != "" {
		parts = append(parts, sub.Label)
	}
	for _, name := range slices.Sorted(maps.Keys(sub.Files)) {
		parts = append(parts, "file:"+name, sub.Files[name])
	}
	for _, part := range parts {
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		sum.Write([]byte(part))
	}
	return sum.Sum(nil)
}
