package guest

import "github.com/computclaw/airlock/app/redact"

// checkResult accepts exactly one JSON value that can be redacted.
func checkResult(data []byte) error {
	if redact.CheckJSON(data) != nil {
		return violation("a result that isn't one JSON value, or is nested too deeply")
	}
	return nil
}
