package content

import (
	"fmt"
	"regexp"

	"github.com/computclaw/airlock/app"
)

var pairingShape = regexp.MustCompile(`^[0-9a-z]{3}-[0-9a-z]{3}$`)

// checkRules refuses what no form here accepts, and grants that no page would show.
func (in *File) checkRules() error {
	for _, c := range in.Credentials {
		if err := c.checkRules(); err != nil {
			return brokenRule("credential "+app.Clip(c.Name, 60), err)
		}
	}
	for _, p := range in.Profiles {
		if err := p.checkRules(); err != nil {
			return brokenRule("profile "+app.Clip(p.Handle, 60), err)
		}
		if p.Locked && !app.SameHosts(app.WithoutReasons(in.Current(p).Hosts), app.WithoutReasons(p.Allowed())) {
			return Contradiction("the policy of profile "+app.Clip(p.Handle, 60),
				"grants other hosts than its page would show", nil)
		}
	}
	return nil
}

func (c Credential) checkRules() error {
	if c.Value != nil {
		if err := app.CheckValue(c.Mode, app.NewSecret(*c.Value)); err != nil {
			return err
		}
	}
	if _, err := app.CanonicalHeaders(c.Headers); err != nil {
		return err
	}
	for _, h := range c.Hosts {
		if err := h.CheckReachable(); err != nil {
			return err
		}
		if h.KeyReference() != "" {
			return app.Invalid("hosts", fmt.Sprintf("a credential can't belong to %s", h), "Write the host name itself.")
		}
	}
	return nil
}

func (p Profile) checkRules() error {
	if p.PairingCode != "" && !pairingShape.MatchString(p.PairingCode) {
		return app.Invalid("pairing_code", "its pairing code is not one of Airlock's", "Leave it out.")
	}
	for _, h := range p.Hosts {
		if err := h.Host.CheckReachable(); err != nil {
			return err
		}
		if h.AskedBy.Kind != app.ActorAgent || h.Allowed { // what is allowed, a person chose
			continue
		}
		if err := h.Host.CheckAskable(); err != nil {
			return err
		}
	}
	return nil
}

// Allowed are the hosts that people allowed.
func (p Profile) Allowed() (hosts []app.Host) {
	for _, h := range p.Hosts {
		if h.Allowed {
			hosts = append(hosts, h.Host)
		}
	}
	return hosts
}
