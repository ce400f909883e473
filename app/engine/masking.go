package engine

import (
	"context"
	"crypto/sha256"
	"runtime"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// dearScript is from how many bytes on it is worth asking the store whether a script will be taken before it is masked, which costs up to two seconds per MiB: else who is
// refused could keep the processors busy, as often as they like.
const dearScript = 4 << 10

// maskingQueue is how many dear scripts may wait to be masked, and maskingPatience for how long: well within the time that an answer may take, or the script would be taken and nobody told.
const (
	maskingQueue    = 64
	maskingPatience = time.Minute
)

// errMasking refuses a dear script for which too many others wait.
var errMasking = app.E(app.CodeQueueFull, "too many long scripts are being submitted at once", "Wait 5 s, then submit again, one at a time.")

// maskedAtOnce is how many dear scripts are masked at once: at least two, so that one profile leaves a turn to another.
func maskedAtOnce() int { return max(2, runtime.GOMAXPROCS(0)) }

// foresee does what enqueue does first, for a script that is dear to mask: it refuses what there is no room for, and finds the execution that was submitted with the same key before.
func (e *Engine) foresee(ctx context.Context, s Submission, profile string) (x app.Execution, replayed bool, err error) {
	if len(s.Script) < dearScript {
		return x, false, nil
	}
	before := ""
	err = e.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		if s.IdempotencyKey != "" {
			key := sha256.Sum256([]byte(s.IdempotencyKey))
			if before, err = tx.Replayed(ctx, profile, key[:], s.digest(), e.now().Add(-app.IdempotencyLife)); err != nil || before != "" {
				return err
			}
		}
		_, _, err = e.room(ctx, tx, profile)
		return err
	})
	if err != nil || before == "" {
		return app.Execution{}, false, err
	}
	x, err = e.ByHandle(ctx, before)
	return x, err == nil, err
}

// shown is a script as people may see it. If Vault holds values that were not read yet, nobody can tell whether they stand in it: then it is shown once the execution
// has them (see record). Long scripts are masked a few at once, in turns of the profiles: it costs up to two seconds per MiB. It fails with CodeQueueFull if too many wait, or its turn does not come.
func (e *Engine) shown(ctx context.Context, profile app.Profile, script string) (redact.Clean, error) {
	if len(script) >= dearScript {
		waiting, cancel := context.WithTimeoutCause(ctx, maskingPatience, errMasking)
		defer cancel()
		if err := e.masking.Take(waiting, profile.Handle); err != nil {
			return redact.Clean{}, err
		}
		defer e.masking.Give(profile.Handle)
	}
	known, all, err := e.cfg.Access.KnownValues(ctx, profile)
	if err != nil {
		return redact.Clean{}, err
	}
	if !all {
		return redact.Fixed("# The script is shown once its values were read from Vault: then they can be masked in it."), nil
	}
	clean, _ := e.redactor(known).Text(script)
	return clean, nil
}
