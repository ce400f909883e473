package app

// Within returns the part of a grant's hosts that its credential still allows. A grant without
// hosts was made while the credential had none. A credential without hosts sets no limit.
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

// EffectiveHosts returns where the key's value may go. The policy decides, or before the lock the
// key's request, within the credential's hosts. Empty means no limit, or nowhere for a sealed
// credential.
func (k Key) EffectiveHosts() []Host {
	if len(k.GrantHosts) > 0 {
		return Within(k.GrantHosts, k.CredentialHosts)
	}
	return Within(k.Hosts, k.CredentialHosts)
}
