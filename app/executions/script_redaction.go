package executions

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// Redacting a long script costs up to two seconds per MiB. So the store is asked first whether the
// submission will be accepted, and profiles take turns.
const (
	costlyScriptBytes = 4 << 10     // from here on the store is asked first whether the script will be taken
	maxScriptsWaiting = 64          // costly scripts that may wait for their turn
	scriptPatience    = time.Minute // and for how long: within the time that a request may take
)

var errTooManyScripts = app.E(app.CodeQueueFull, "too many long scripts are being submitted at once",
	"Wait 5 s, then submit again, one at a time.")

// precheck does the first part of insert early, for a script that is costly to redact: it refuses
// one that has no room, and finds the execution that was submitted with the same key before.
func (s *Submitter) precheck(
	ctx context.Context, sub Submission, profile string,
) (x app.Execution, replayed bool, err error) {
	if len(sub.Script) < costlyScriptBytes {
		return x, false, nil
	}
	before := ""
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		if sub.IdempotencyKey != "" {
			since := s.cfg.Now().Add(-app.IdempotencyLife)
			if before, err = tx.Queue.Replayed(ctx, profile, sub.key(), sub.digest(), since); err != nil ||
				before != "" {
				return err
			}
		}
		_, err = s.cfg.Scheduler.Admit(ctx, tx, profile)
		return err
	})
	if err != nil || before == "" {
		return app.Execution{}, false, err
	}
	x, err = s.reader.ByHandle(ctx, before)
	return x, err == nil, err
}

// redactScript returns a script as people may see it. Long ones are redacted a few at once, in
// turns of the profiles.
//
// If Vault holds values that were not read yet, nobody can tell whether the script contains them:
// it is shown once the execution has them. Errors: CodeQueueFull if too many scripts wait, or the
// turn doesn't come in time.
// It adds the values that it decrypts to opened.
func (s *Submitter) redactScript(
	ctx context.Context, profile app.Profile, script string, opened credentials.Opened,
) (redact.Clean, error) {
	if len(script) >= costlyScriptBytes {
		waiting, cancel := context.WithTimeoutCause(ctx, scriptPatience, errTooManyScripts)
		defer cancel()
		if err := s.redacting.Take(waiting, profile.Handle); err != nil {
			return redact.Clean{}, err
		}
		defer s.redacting.Give(profile.Handle)
	}
	known, all, err := s.cfg.Resolver.KnownValues(ctx, profile, opened)
	if err != nil {
		return redact.Clean{}, err
	}
	if !all {
		return redact.Fixed("# The script is shown once its values were read from Vault: then they can be masked in it."), nil
	}
	clean, _ := redact.New(known, s.cfg.Redaction).Text(script)
	return clean, nil
}
