package content

import (
	"errors"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/archive"
)

// explain turns container errors into errors for the person with the file.
func explain(err error) error {
	var e *app.Error
	switch {
	case err == nil, errors.As(err, &e):
		return err
	case errors.Is(err, archive.ErrPassphrase):
		e = app.Invalid("passphrase", "the passphrase does not open the file",
			"Nothing was changed. Type the passphrase that the file was made with; upper and lower case count. If you are "+
				"sure of it, the file's first bytes were changed.")
	case errors.Is(err, archive.ErrFormat):
		e = app.Invalid("file", "this is not an .airlock file",
			"Nothing was changed. Choose the file that Airlock's export or backup made, complete and as it was.")
	case errors.Is(err, archive.ErrVersion):
		return errNewer(err.Error())
	case errors.Is(err, archive.ErrCost):
		e = app.Invalid("file", "the file asks for more memory or time than any Airlock would",
			"Nothing was changed. The file is not what it claims to be.")
	case errors.Is(err, archive.ErrDamaged):
		e = app.Invalid("file", "the file is damaged",
			"Nothing was changed. It was cut off or altered on its way: copy it again and compare its SHA-256 with the "+
				"original's.")
	case errors.Is(err, archive.ErrTooLarge):
		e = app.Invalid("file", "the file unpacks to far more than its size",
			"Nothing was changed. If you made it and trust it, import it on the host: airlock admin import --max-size 50G FILE.")
	default:
		return err
	}
	e.Cause = err
	return e
}

// brokenRule returns the error for an import that forms and agent API would refuse.
func brokenRule(what string, cause error) error {
	var rule *app.Error
	why := ""
	if errors.As(cause, &rule) {
		why = ": " + rule.Message
	}
	e := app.Invalid("file", what+" breaks a rule of this instance"+why,
		"Nothing was imported. Correct it in the instance that made the file, and export it again.")
	e.Cause = cause
	return e
}

// maxUnpacked bounds the unpacked size of a file. History compresses ten to thirty times; small
// files may compress more.
func maxUnpacked(size int64) int64 { return 1<<30 + 100*size }
