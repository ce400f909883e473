package content

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// SealHistory seals an execution's record for this instance and returns its row. It refuses rows
// that would break a page.
func SealHistory(ring *secrets.Keyring, handle string, id int64, r Record) (any, error) {
	wrong := func(what, why string, cause error) (any, error) {
		return nil, Contradiction(what+" of execution "+app.Clip(handle, 60), why, cause)
	}
	switch {
	case r.Execution != nil:
		return executionRow(ring, *r.Execution)
	case r.Script != nil:
		row := r.Script.ScriptRow
		if row.CleanInputs != "" && !json.Valid([]byte(row.CleanInputs)) {
			return wrong("the inputs", "are not JSON", nil)
		}
		row.ExecutionID = id
		row.Script = ring.Seal(secrets.Scripts, secrets.ScriptRow(handle), []byte(r.Script.Script))
		if r.Script.Inputs != nil {
			row.Inputs = ring.Seal(secrets.Scripts, secrets.InputsRow(handle), []byte(*r.Script.Inputs))
		}
		return row, nil
	case r.Output != nil:
		if err := json.Unmarshal(r.Output.Segments, &[]int{}); err != nil {
			return wrong("the output", "is not put together", err)
		}
		if result := r.Output.Result; result != nil && !json.Valid([]byte(*result)) {
			return wrong("the result", "is not JSON", nil)
		}
		encodeColumns(r.Output)
		r.Output.ExecutionID = id
		return r.Output.OutputRow, nil
	case r.Value != nil:
		r.Value.ExecutionID = id
		return *r.Value, nil
	case r.Exchange != nil:
		row, err := exchangeRow(ring, id, r.Exchange)
		if err != nil {
			return wrong("an exchange", "is malformed", err)
		}
		return row, nil
	case r.Connection != nil:
		encodeColumns(r.Connection)
		r.Connection.ExecutionID = id
		return r.Connection.ConnectionRow, nil
	case r.Redaction != nil:
		r.Redaction.ExecutionID = id
		return *r.Redaction, nil
	case r.File != nil:
		r.File.ExecutionID = id
		return *r.File, checkFileRow(r.File.Name, r.File.Size, r.File.SHA256)
	case r.Artifact != nil:
		row := r.Artifact.ArtifactRow
		if r.Artifact.Kept && row.Withheld != "" {
			return wrong("an artifact", "was withheld and has a content", nil)
		}
		row.ExecutionID = id
		return row, checkFileRow(row.Name, row.Size, row.SHA256)
	}
	return wrong("a part", "is of an unknown kind", nil)
}

// checkFileRow takes what the page of an execution can show.
func checkFileRow(name string, size int64, digest string) error {
	if err := app.CheckStored("name", name, MaxField); err != nil {
		return Contradiction("a file of an execution", "has a malformed name", err)
	}
	if size < 0 || digest != "" && !digestShape.MatchString("sha256:"+digest) {
		return Contradiction("a file of an execution", "has a malformed size or digest", nil)
	}
	return nil
}

func executionRow(ring *secrets.Keyring, x Execution) (any, error) {
	if err := errors.Join(checkActor(x.SubmittedBy),
		refuse(!handleShape.MatchString(x.Handle) || !handleShape.MatchString(x.ProfileHandle) || !app.IsExecutionID(x.ID) ||
			x.RerunOf != "" && !handleShape.MatchString(x.RerunOf), "it has a malformed id"),
		refuse(!app.Status(x.Status).Terminal(), "it has not ended")); err != nil {
		return nil, Contradiction("execution "+app.Clip(x.Handle, 60), "is not possible", err)
	}
	encodeColumns(&x)
	x.Lookup = ring.Lookup(secrets.Execs, x.ID)
	x.SealedID = ring.Seal(secrets.Execs, secrets.ExecutionRow(x.Handle), []byte(x.ID))
	return x.ExecutionRow, nil
}

func exchangeRow(ring *secrets.Keyring, id int64, x *Exchange) (row store.ExchangeRow, err error) {
	if err := errors.Join(checkActor(x.AnsweredBy), refuse(len(x.RequestID) < 1 || len(x.RequestID) > maxShort ||
		len(x.Asked) > 64, "its id is malformed")); err != nil {
		return row, err
	}
	encodeColumns(x)
	row = x.ExchangeRow
	row.ExecutionID, row.Asked = id, x.Asked
	if x.Answer != nil {
		row.Answer = ring.Seal(secrets.Scripts, secrets.AnswerRow(row.RequestID), []byte(*x.Answer))
	}
	return row, nil
}

// Row returns the row of a span of time.
func (r Stats) Row() (store.StatsRow, error) {
	encodeColumns(&r)
	least := min(r.Completed, r.Error, r.Timeout, r.Cancelled, r.Started, r.RunMs, r.LLMMs, r.Redactions)
	if err := errors.Join(checkDurations(r.Durations), refuse(least < 0, "it counts what can't be"),
		refuse(!handleShape.MatchString(r.ProfileHandle), "its profile's handle is malformed")); err != nil {
		return r.StatsRow, Contradiction("a day of the statistics", "is not possible", err)
	}
	return r.StatsRow, nil
}

// MaxDurations bounds the distinct durations in one row of statistics. They are rounded to two
// digits, which leaves some hundreds.
const MaxDurations = 10_000

// checkDurations accepts an object of numbers, keyed by milliseconds. One bad row would break every
// page that sums statistics.
func checkDurations(text []byte) error {
	var times map[string]*int64
	if err := json.Unmarshal(text, &times); err != nil {
		return err
	}
	if times == nil || len(times) > MaxDurations {
		return errors.New("its durations are none, or too many")
	}
	for key, n := range times {
		ms, err := strconv.ParseInt(key, 10, 64)
		if err != nil || strconv.FormatInt(ms, 10) != key || ms < 0 || ms > MaxMoment || n == nil || *n < 0 ||
			*n > MaxCount {
			return errors.New("it counts what can't be")
		}
	}
	return nil
}
