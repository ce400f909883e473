package views

import (
	"time"

	"github.com/computclaw/airlock/app"
)

func credentialAction(p CredentialPage) string {
	if p.New {
		return CredentialNew
	}
	return CredentialURL(p.Credential.Name)
}

func valueLabel(p CredentialPage) string {
	if p.New || !p.Credential.HasValue() || p.Credential.Source == app.SourceVault {
		return "Value"
	}
	return "New value"
}

// newValueHint stands below the field for a credential's first value.
const newValueHint = "Write-only: it is encrypted at once and never shown again, to anyone. " +
	"A sealed value has at least 16 characters, so that it can't be mistaken for ordinary text."

// valueHints say what a typed value does, and what becomes of the one that it replaces.
func valueHints(p CredentialPage) []string {
	if p.New || !p.Credential.HasValue() {
		return []string{newValueHint}
	}
	replaced := "A new value counts from the next execution on, and the old one is never used again."
	switch {
	case !p.Credential.Searched():
	case p.Superseded == 0:
		replaced += " Answers and output are then not searched for the old one any more: revoke it at its service first."
	default:
		replaced += " Answers and output are still searched for the old one, for " + Count(int64(p.Superseded), "day") +
			". Revoke it at its service."
	}
	return []string{"Leave empty to keep the stored value. A sealed value has at least 16 characters.", replaced}
}

// LockedAmong counts profiles, and those of them that are locked: 3 profiles (2 locked).
func LockedAmong(profiles []app.Profile, now time.Time) string {
	return Count(int64(len(profiles)), "profile") + " (" + Number(lockedOf(profiles, now)) + " locked)"
}

func lockedOf(profiles []app.Profile, now time.Time) (n int64) {
	for _, p := range profiles {
		if p.State(now) == app.StateLocked {
			n++
		}
	}
	return n
}

// exposure says who gets the value if a sealed credential is sealed no more; "" if nobody does.
func exposure(p CredentialPage) string {
	locked := lockedOf(p.Profiles, p.Now)
	if p.Credential.Mode != app.ModeSealed || locked == 0 {
		return ""
	}
	return Count(locked, "locked profile") + " would get the value itself from the next execution on, without being locked anew."
}

func timesUsed(n int64) string {
	if n == 0 {
		return "not used yet"
	}
	return "used " + Count(n, "time")
}

// hostsShort names the first host and counts the others.
func hostsShort(hosts []app.Host) string {
	if len(hosts) < 2 {
		return hosts[0].Brief()
	}
	return hosts[0].Brief() + " and " + Number(int64(len(hosts)-1)) + " more"
}

// oddHosts are the hosts of which a line of the form doesn't say all.
func oddHosts(hosts []app.Host) (odd []app.Host) {
	for _, h := range hosts {
		if h.Brief() != h.String() {
			odd = append(odd, h)
		}
	}
	return odd
}

func inProfiles(n int) string {
	if n == 0 {
		return "in no profile"
	}
	return "in " + Count(int64(n), "profile")
}

// credentialStory is one line on a credential's life.
func credentialStory(c app.Credential, now time.Time) string {
	if !c.HasValue() {
		return "It has no value yet; executions that need it are refused."
	}
	if c.Source == app.SourceVault {
		return "Value read from Vault for each execution, " + timesUsed(c.Uses) + ", " + inProfiles(c.Profiles) + "."
	}
	story := "Value set " + Ago(c.ValueSetAt, now) + ", " + timesUsed(c.Uses) + ", " + inProfiles(c.Profiles)
	if !c.LastUsedAt.IsZero() {
		story += ", last used " + Ago(c.LastUsedAt, now)
	}
	story += "."
	if c.Version > 1 {
		story += " This is version " + itoa(c.Version) + "."
	}
	return story
}

// checkState is how the last test request stands: what to show, and whether it is good news.
type checkState struct {
	class string // of the state
	icon  string
	words string // a time may follow
	at    time.Time
	why   string // the failure
}

// lastCheck is what the last test says today. One that is older than the value or the settings says nothing any more.
func lastCheck(c app.Credential) checkState {
	switch {
	case c.Mode != app.ModeSealed || !c.HasValue():
		return checkState{}
	case c.CheckedAt.IsZero():
		return checkState{words: "not tested"}
	case c.CheckedAt.Before(c.ValueSetAt) || c.CheckedAt.Before(c.UpdatedAt):
		return checkState{words: "not tested since it was changed"}
	case c.CheckError != "":
		return checkState{class: "error", icon: "error", words: "failed,", at: c.CheckedAt, why: c.CheckError}
	}
	return checkState{class: "ready", icon: "check", words: "works, checked", at: c.CheckedAt}
}

// CheckForm is the form of a test request and its outcome.
type CheckForm struct {
	Targets   []string // host:port to choose from
	Wildcards []string // patterns under which a person may name a host
	Target    string   // as chosen, like all below
	Host      string
	Path      string
	Private   bool
	As        string        // "", "basic" or "header"
	AsName    string        // user name or header name
	Outcome   *CheckOutcome // nil if none was just sent
	Problems  Problems      // why none was
}

// CheckOutcome is what a test request led to. It holds neither the value nor anything of the answer but its status.
type CheckOutcome struct {
	Request string // GET https://api.example.com/
	Works   bool
	Swapped bool
	Status  int // 0 if no answer came
	Took    time.Duration
	Problem string
	Hint    string
}

func outcomeWord(o *CheckOutcome) string {
	if o.Works {
		return "It works"
	}
	return "It does not work"
}

func swappedWords(o *CheckOutcome) string {
	if o.Swapped {
		return "put in on the way out"
	}
	return "not put in; nothing of it left Airlock"
}
