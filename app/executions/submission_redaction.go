package executions

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/store"
)

// Redacting costs up to two seconds per MiB. So the store's refusals come first, and profiles take
// turns.
const (
	costlyBytes       = 4 << 10     // of script and inputs: the store is asked first whether it takes so much
	maxScriptsWaiting = 64          // costly scripts that may wait for their turn
	scriptPatience    = time.Minute // and for how long: within the time that a request may take
)

var errTooManyTexts = app.E(app.CodeQueueFull, "too many long texts are being masked at once",
	"Wait 5 s, then try again, one at a time.")

// costly reports whether redacting the submission takes time worth queueing for.
func (sub Submission) costly() bool {
	return len(sub.Script)+len(sub.Inputs) >= costlyBytes
}

// shown is a submission as people may see it.
type shown struct {
	store.Shown
	label redact.Clean
}

// redactSubmission returns a submission as people may see it. Long ones wait for a turn of their
// profile.
//
// If Vault holds unread values, script and inputs stay hidden until the execution has the values.
// Errors: CodeQueueFull if too many long ones wait, or the turn is late. It adds decrypted values
// to opened.
func (s *Submitter) redactSubmission(
	ctx context.Context, profile app.Profile, sub Submission, opened credentials.Opened,
) (shown, error) {
	if sub.costly() {
		done, err := s.takeTurn(ctx, profile)
		if err != nil {
			return shown{}, err
		}
		defer done()
	}
	known, all, err := s.cfg.Resolver.KnownValues(ctx, profile, opened)
	if err != nil {
		return shown{}, err
	}
	red := redact.New(known, s.cfg.Redaction)
	if err := checkFileNames(red, sub.files); err != nil {
		return shown{}, err
	}
	if all {
		label, _ := red.Text(sub.Label)
		return shown{runner.Show(red, sub.source()), label}, nil
	}
	var late shown
	if sub.Label != "" { // it is stored in this form only, so it can't be shown later
		late.label = redact.Fixed("[not shown: the values in Vault were not read yet]")
	}
	late.Script = redact.Fixed(
		"# The script is shown once its values were read from Vault: then they can be masked in it.")
	if sub.Inputs != nil {
		late.Inputs = redact.Fixed(`"The inputs are shown once the values were read from Vault."`)
	}
	return late, nil
}

// takeTurn waits for a profile's turn to redact a long text. done must follow. Errors:
// errTooManyTexts.
func (s *Submitter) takeTurn(ctx context.Context, profile app.Profile) (done func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, scriptPatience, errTooManyTexts)
	defer cancel()
	if err := s.redacting.Take(ctx, profile.Handle); err != nil {
		return nil, err
	}
	return func() { s.redacting.Give(profile.Handle) }, nil
}

// Mask masks a profile's secrets in texts. If Vault holds unread values, all is false and there are
// no texts. Long ones wait for a turn, as submissions do.
func (s *Submitter) Mask(
	ctx context.Context, profile app.Profile, texts []string,
) (masked []redact.Clean, all bool, err error) {
	length := 0
	for _, text := range texts {
		length += len(text)
	}
	if length >= costlyBytes {
		done, err := s.takeTurn(ctx, profile)
		if err != nil {
			return nil, false, err
		}
		defer done()
	}
	known, all, err := s.cfg.Resolver.KnownValues(ctx, profile, credentials.Opened{})
	if err != nil || !all {
		return nil, false, err
	}
	masked, _ = redact.New(known, s.cfg.Redaction).Texts(texts)
	return masked, true, nil
}
