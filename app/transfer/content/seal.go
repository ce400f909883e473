package content

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// SealHistory seals an execution's record for this instance and returns its row. It refuses rows
// that would break a page.
func SealHistory(ring *secrets.Keyring, handle string, id int64, r Record) (any, error) {
	row, err := partRow(ring, handle, id, r)
	if err != nil {
		return nil, err
	}
	if err := checkBounds(row); err != nil {
		return nil, Contradiction("execution "+app.Clip(handle, 60), "is not possible", err)
	}
	return row, nil
}

func partRow(ring *secrets.Keyring, handle string, id int64, r Record) (any, error) {
	switch {
	case r.Execution != nil:
		return executionRow(ring, *r.Execution)
	case r.Script != nil:
		row := r.Script.ScriptRow
		if row.CleanInputs != "" && !json.Valid([]byte(row.CleanInputs)) {
			return nil, Contradiction("the inputs of execution "+handle, "are not JSON", nil)
		}
		row.ExecutionID = id
		row.Script = ring.Seal(secrets.Scripts, secrets.ScriptRow(handle), []byte(r.Script.Script))
		if r.Script.Inputs != nil {
			row.Inputs = ring.Seal(secrets.Scripts, secrets.InputsRow(handle), []byte(*r.Script.Inputs))
		}
		return row, nil
	case r.Output != nil:
		row := r.Output.OutputRow
		row.ExecutionID, row.Segments = id, string(r.Output.Segments)
		if err := json.Unmarshal(r.Output.Segments, &[]int{}); err != nil {
			return nil, Contradiction("the output of execution "+handle, "is not put together", err)
		}
		if row.Result != nil && !json.Valid([]byte(*row.Result)) {
			return nil, Contradiction("the result of execution "+handle, "is not JSON", nil)
		}
		return row, nil
	case r.Value != nil:
		row := *r.Value
		row.ExecutionID = id
		return row, nil
	case r.Exchange != nil:
		return exchangeRow(ring, id, *r.Exchange)
	case r.Connection != nil:
		row := r.Connection.ConnectionRow
		row.ExecutionID, row.Credentials = id, List(r.Connection.Credentials)
		return row, nil
	case r.Redaction != nil:
		row := *r.Redaction
		row.ExecutionID = id
		return row, nil
	case r.File != nil:
		row := *r.File
		row.ExecutionID = id
		return row, checkFileRow(row.Name, row.Size, row.SHA256)
	case r.Artifact != nil:
		row := r.Artifact.ArtifactRow
		row.ExecutionID = id
		if r.Artifact.Kept && row.Withheld != "" {
			return nil, Contradiction("an artifact", "was withheld and has a content", nil)
		}
		return row, checkFileRow(row.Name, row.Size, row.SHA256)
	}
	return nil, Contradiction("execution "+handle, "has a part of an unknown kind", nil)
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

func executionRow(ring *secrets.Keyring, x Execution) (store.ExecutionRow, error) {
	row := x.ExecutionRow
	switch {
	case !handleShape.MatchString(row.Handle), !handleShape.MatchString(row.ProfileHandle), !app.IsExecutionID(x.ID):
		return row, Contradiction("execution "+app.Clip(row.Handle, 60), "has a malformed id", nil)
	case !app.Status(row.Status).Terminal():
		return row, Contradiction("execution "+row.Handle, "has not ended", nil)
	case row.RerunOf != "" && !handleShape.MatchString(row.RerunOf):
		return row, Contradiction("execution "+row.Handle, "repeats a malformed one", nil)
	}
	if err := checkActor(x.SubmittedBy); err != nil {
		return row, Contradiction("execution "+row.Handle, "was submitted by nobody", err)
	}
	row.Lookup = ring.Lookup(secrets.Execs, x.ID)
	row.SealedID = ring.Seal(secrets.Execs, secrets.ExecutionRow(row.Handle), []byte(x.ID))
	row.Injected, row.SubmittedBy, row.Manifest = List(x.Injected), JSON(x.SubmittedBy), JSON(x.Manifest)
	return row, nil
}

func exchangeRow(ring *secrets.Keyring, id int64, x Exchange) (store.ExchangeRow, error) {
	row := x.ExchangeRow
	if len(row.RequestID) < 1 || len(row.RequestID) > maxShort || len(x.Asked) > 64 {
		return row, Contradiction("an exchange", "has a malformed id", nil)
	}
	if err := checkActor(x.AnsweredBy); err != nil {
		return row, Contradiction("an exchange", "was answered by nobody", err)
	}
	row.ExecutionID, row.AnsweredBy, row.Asked = id, JSON(x.AnsweredBy), x.Asked
	if x.Answer != nil {
		row.Answer = ring.Seal(secrets.Scripts, secrets.AnswerRow(row.RequestID), []byte(*x.Answer))
	}
	return row, nil
}

// StatsRow returns the row of a span of time. It refuses counts above most.
func StatsRow(r Stats, most int64) (store.StatsRow, error) {
	row := r.StatsRow
	row.Durations = string(r.Durations)
	err := errors.Join(checkBounds(row), checkDurations(r.Durations, most))
	for _, n := range []int64{row.Completed, row.Error, row.Timeout, row.Cancelled, row.Started, row.RunMs, row.LLMMs,
		row.Redactions} {
		if n < 0 || n > most {
			err = errors.New("it counts what can't be")
		}
	}
	if err == nil && !handleShape.MatchString(row.ProfileHandle) {
		err = errors.New("its profile's handle is malformed")
	}
	if err != nil {
		return row, Contradiction("a day of the statistics", "is not possible", err)
	}
	return row, nil
}

// MaxDurations bounds the distinct durations in one row of statistics. They are rounded to two
// digits, which leaves some hundreds.
const MaxDurations = 10_000

// checkDurations accepts an object of numbers, keyed by milliseconds. One bad row would break every
// page that sums statistics.
func checkDurations(text []byte, most int64) error {
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
			*n > most {
			return errors.New("it counts what can't be")
		}
	}
	return nil
}

// Row returns the credential as the database has it, under an id.
func (c Credential) Row(id string) store.CredentialRow {
	row := c.CredentialRow
	row.ID, row.Mode, row.Source = id, string(c.Mode), string(c.Source)
	row.Hosts, row.Places, row.Headers = List(c.Hosts), JSON(c.Places), List(c.Headers)
	return row
}

// noManifest is that of a version whose files are gone.
const noManifest = "{}"

// Row is the version as the database has it, without its files.
func (v SkillVersion) Row(skill int64) store.SkillVersionRow {
	row := v.SkillVersionRow
	row.SkillID, row.Manifest, row.Size, row.Files, row.BlobID = skill, noManifest, 0, 0, nil
	row.UploadedBy, row.ApprovedBy, row.RevokedBy = JSON(v.UploadedBy), JSON(v.ApprovedBy), JSON(v.RevokedBy)
	return row
}

// List is a JSON column of a list, which is never null.
func List[E any](all []E) string { return JSON(append([]E{}, all...)) }

// JSON is a JSON column.
func JSON(v any) string {
	t, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("content: %T is always encodable: %v", v, err))
	}
	return string(t)
}
