package hints

import (
	"slices"
	"strings"
	"syscall"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// AfterSignal returns the hint for SIGBUS (no room for a mapped file) and SIGXFSZ (a file too large).
func AfterSignal(s syscall.Signal, l app.Limits) string {
	if s == syscall.SIGBUS || s == syscall.SIGXFSZ {
		return tmpHint(l)
	}
	return ""
}

// AfterError returns the next step for an error of the operating system or of a missing package.
//
// said is the end of stderr, for programs that the script started. All three texts are claims; a
// lie gains only this sentence.
func AfterError(text, said, script string, l app.Limits, notes []string) string {
	if strings.HasPrefix(text, "subprocess.CalledProcessError: ") {
		if limit := limitMet(said, l); limit != "" {
			return limit
		}
		return limitMet(text, l)
	}
	if limit := limitMet(text, l); limit != "" {
		return limit
	}
	exception, _, _ := strings.Cut(text, ":")
	switch {
	case strings.HasSuffix(exception, "MemoryError"):
		return memoryHint(l)
	case strings.Contains(text, "can't start new thread"):
		return PidsHint(l)
	case strings.HasPrefix(text, "PermissionError: ") && len(notes) > 0:
		return "\nin this sandbox: " + strings.Join(notes, " ")
	case strings.Contains(text, "ResultError: result is") && strings.Contains(text, "the limit is"):
		return "\nreturn less, such as totals or the first rows, or split the work into several executions"
	case strings.HasPrefix(text, "ModuleNotFoundError: "):
		return "\n" + app.AlternativeToInstalling()
	case strings.HasPrefix(text, "SyntaxError: "), strings.HasPrefix(text, "IndentationError: "):
		if instead := app.AlternativeAfterSyntaxError(script); instead != "" {
			return "\n" + instead
		}
	}
	return ""
}

// Denials names what stopped each denied place. The hint of its ledger row has the next step.
func Denials(ledger []app.Connection) []string {
	var list []string
	for _, c := range ledger {
		if c.Rule == rules.Cancelled || c.Rule == rules.Closed {
			continue
		}
		explained := rules.Explain(c)
		if explained == nil {
			continue
		}
		hint := explained.Message + "."
		if !slices.Contains(list, hint) { // a ledger has a row per request
			list = append(list, hint)
		}
	}
	return list
}
