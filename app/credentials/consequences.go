package credentials

import (
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
)

// ChangesCount says for whom a change of a credential counts.
const ChangesCount = "Changes count for all of them without a new lock. Added hosts count only for profiles " +
	"that were locked while the credential had no hosts."

// DescribeLocked counts profiles and the locked ones: 3 profiles (2 locked).
func DescribeLocked(profiles []app.Profile, now time.Time) string {
	return fmt.Sprintf("%s (%d locked)", app.Count(len(profiles), "profile"), CountLocked(profiles, now))
}

// CountLocked counts the profiles that are locked.
func CountLocked(profiles []app.Profile, now time.Time) (n int) {
	for _, p := range profiles {
		if p.State(now) == app.StateLocked {
			n++
		}
	}
	return n
}

// ModeGives says what scripts get under mode beyond before, or "".
func ModeGives(before, mode app.Mode) string {
	switch {
	case mode == app.ModePlain && before != app.ModePlain:
		return "would not have the value masked any more in what scripts print"
	case mode == app.ModeInjected && before == app.ModeSealed:
		return "would get the value itself from the next execution"
	}
	return ""
}

// DescribeReplacement says for how many days a replaced value is searched for.
func DescribeReplacement(c app.Credential, days int) string {
	const never = "A new value applies from the next execution; the old one is never used again."
	switch {
	case !c.IsSearched():
		return never
	case days == 0:
		return never + " Answers and output are then not searched for the old one any more: revoke it at its service first."
	}
	return never + " Answers and output are still searched for the old one, for " + app.Count(days, "day") +
		". Revoke it at its service."
}

// DescribeDeletion says what the deletion of a credential ends, in sentences.
func DescribeDeletion(c app.Credential) []string {
	all := []string{
		"Scripts can't use it any more. Its value is destroyed with all earlier versions. This can't be undone.",
	}
	if c.IsSearched() {
		all = append(all, "Airlock stops searching answers and output for the value, "+
			"which its service still accepts. Revoke it there first.")
	}
	return all
}
