package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

// Advice explains ledger rows by the profile's present state. The zero Advice knows nothing.
type Advice struct {
	Profile  app.Profile
	SetupURL string // of the profile's page; "" if it is not known
}

// packageIndexes are hosts of package managers. A script can't install anything, so no request is
// made for them.
var packageIndexes = []string{"pypi.org", "files.pythonhosted.org", "pypi.python.org", "conda.anaconda.org",
	"repo.anaconda.com", "registry.npmjs.org", "registry.yarnpkg.com", "crates.io", "static.crates.io", "index.crates.io",
	"proxy.golang.org", "sum.golang.org", "rubygems.org", "deb.debian.org", "security.debian.org", "archive.ubuntu.com",
	"security.ubuntu.com", "dl-cdn.alpinelinux.org"}

// IsPackageIndex reports whether package managers use a canonical name.
func IsPackageIndex(name string) bool { return slices.Contains(packageIndexes, name) }

// nearby names the ports or names near a place that a profile allows, or "".
func (a Advice) nearby(c app.Connection) string {
	var ports []string
	below := false
	for _, h := range a.Profile.Hosts {
		below = below || h.Allowed && h.Name == "*."+c.Host
		for _, port := range h.Ports {
			if h.Allowed && h.Matches(c.Host, port) {
				ports = append(ports, strconv.Itoa(port))
			}
		}
	}
	switch {
	case len(ports) == 0 && below:
		return fmt.Sprintf("The profile allows the names below %s, not the name itself. ", c.Host)
	case len(ports) == 0:
		return ""
	}
	return fmt.Sprintf("The profile allows %s on port %s only. ", c.Host, strings.Join(slices.Compact(ports), ", "))
}

// howToAsk says how to ask a person for a host, or that one decided.
func (a Advice) howToAsk(c app.Connection) string {
	if !Grantable(c.Host) {
		return "No entry of a profile can allow it. Check the host name; a service on Airlock's own machine has a name " +
			"that its operator gave it."
	}
	if c.Port == 0 { // the box asked for the name alone
		c.Port = a.likelyPort(c.Host)
	}
	page := "the profile's page in Airlock"
	if a.SetupURL != "" {
		page = a.SetupURL
	}
	call := fmt.Sprintf(`POST /profiles/self/hosts {"hosts":[{"host":%q,"reason":"why"}]}`, Place(c))
	covered, allowed := a.isCovered(c)
	declined, no := a.Profile.DeclinedHost(c.Host, c.Port)
	switch {
	case allowed:
		return "A person has allowed it since. Submit the script again."
	case no:
		return fmt.Sprintf("A person declined it on %s. Asking again does not help unless something has changed; then %s "+
			"with the new reason asks again.", declined.At.UTC().Format(time.RFC3339), call)
	case IsPackageIndex(c.Host) && !covered:
		return "Packages can't be installed from inside a script: GET /packages lists what it can import, and the operator " +
			"can install more."
	case covered || a.Profile.Handle == "":
		return fmt.Sprintf("It stands as a request on %s: ask the person to allow %s there, then submit the script again. "+
			"%s adds your reason; write the port that the script uses.", page, Place(c), call)
	}
	return fmt.Sprintf("%s asks for it; then ask the person to allow it on %s and submit the script again.", call, page)
}

// likelyPort returns the port of the profile's open request for a host, or 443.
func (a Advice) likelyPort(host string) int {
	for _, h := range a.Profile.Hosts {
		if !h.Allowed && h.Matches(host, h.Ports[0]) {
			return h.Ports[0]
		}
	}
	return 443
}

// isCovered reports whether an entry of the profile covers the place, and allows it.
func (a Advice) isCovered(c app.Connection) (covered, allowed bool) {
	for _, h := range a.Profile.Hosts {
		if h.Matches(c.Host, c.Port) {
			covered, allowed = true, allowed || h.Allowed
		}
	}
	return covered, allowed
}

// SealedElsewhere marks a connection that sends placeholders as they are. The host has a sealed
// credential on another port.
const SealedElsewhere = "sealed values not put in on this port"

// Note tells an agent about an allowed row, or returns "".
func (a Advice) Note(c app.Connection) string {
	if c.Verdict != app.VerdictAllowed || !strings.HasSuffix(c.Rule, SealedElsewhere) {
		return ""
	}
	return fmt.Sprintf("A sealed credential belongs to this host on other ports only, so its placeholder was sent as it "+
		"is and the host may answer 401. Ask the person to add %s to the hosts of the credential.", Place(c))
}
