package guest

import "github.com/computclaw/airlock/app/redact"

// checkResult accepts exactly one JSON value that can be redacted, within the limit in bytes.
func checkResult(data []byte, limit int64) error {
	if int64(len(data)) > limit {
		return violation("a result larger than the limit")
	}
	if redact.CheckJSON(data) != nil {
		return violation("a result that isn't one JSON value, or is nested too deeply")
	}
	return nil
}
