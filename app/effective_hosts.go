package app

// Within returns the part of a grant's hosts at which a credential belongs now. A grant without
// hosts was made while the credential had none, and a credential without hosts sets no limit of its
// own.
func Within(granted, now []Host) []Host {
	switch {
	case len(granted) == 0:
		return now
	case len(now) == 0:
		return granted
	}
	var both []Host
	for _, g := range granted {
		for _, h := range now {
			if part, ok := g.Overlap(h); ok {
				both = append(both, part)
			}
		}
	}
	return both
}

// EffectiveHosts are where the value behind the key may go: as the policy says, or before the lock
// as the key asks, and never beyond the credential's own hosts. Empty means that nothing limits it,
// or for a sealed credential that it may go nowhere.
func (k Key) EffectiveHosts() []Host {
	if len(k.GrantHosts) > 0 {
		return Within(k.GrantHosts, k.CredentialHosts)
	}
	return Within(k.Hosts, k.CredentialHosts)
}
