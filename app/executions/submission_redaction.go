package executions

import (
	"cmp"
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/store"
)

// shown is a submission as people may see it.
type shown struct {
	store.Shown
	label redact.Clean
}

// redactSubmission returns a submission as people may see it, in its profile's turn.
//
// If Vault holds unread values, script and inputs stay hidden until the execution has the values.
// It adds decrypted values to opened.
func (s *Submitter) redactSubmission(
	ctx context.Context, profile app.Profile, sub Submission, source runner.Source, opened credentials.Opened,
) (as shown, err error) {
	known, all, err := s.cfg.Resolver.KnownValues(ctx, profile, opened)
	if err != nil {
		return shown{}, err
	}
	turn := s.cfg.Runner.InTurn(ctx, profile.Handle, len(source.Script)+len(source.Inputs), func() {
		red := s.cfg.Runner.Redactor(known)
		if err = checkFileNames(red, sub.files); err == nil && all {
			as.Shown = runner.Show(red, source)
			as.label, _ = red.Text(sub.Label)
		}
	})
	if err = cmp.Or(turn, err); err != nil || all {
		return as, err
	}
	if sub.Label != "" { // it is stored in this form only, so it can't be shown later
		as.label = redact.Fixed("[not shown: the values in Vault were not read yet]")
	}
	as.Script = redact.Fixed(
		"# The script is shown once its values were read from Vault: then they can be masked in it.")
	if sub.Inputs != nil {
		as.Inputs = redact.Fixed(`"The inputs are shown once the values were read from Vault."`)
	}
	return as, nil
}

// checkFileNames refuses names that contain a secret: they are stored and shown unmasked.
func checkFileNames(red *redact.Redactor, list []store.InputFile) error {
	for _, f := range list {
		if _, hits := red.Text(f.Name); hits.Total() > 0 {
			return app.Invalid("files", "the name of a file holds a secret", "Name it without.")
		}
	}
	return nil
}

// Mask masks a profile's secrets in texts, in its turn. If Vault holds unread values, all is false
// and there are no texts.
func (s *Submitter) Mask(
	ctx context.Context, profile app.Profile, texts []string,
) (masked []redact.Clean, all bool, err error) {
	known, all, err := s.cfg.Resolver.KnownValues(ctx, profile, credentials.Opened{})
	if err != nil || !all {
		return nil, false, err
	}
	length := 0
	for _, text := range texts {
		length += len(text)
	}
	err = s.cfg.Runner.InTurn(ctx, profile.Handle, length, func() {
		masked, _ = s.cfg.Runner.Redactor(known).Texts(texts)
	})
	return masked, err == nil, err
}
