package profileview

// allowedForms returns the decided hosts.
func (p ProfilePage) allowedForms() []HostForm {
	var all []HostForm
	for _, h := range p.Hosts {
		if h.Allowed {
			all = append(all, h)
		}
	}
	return all
}

// isUnnamed reports whether a request's key can't name its host. The page doesn't offer it; an
// allowed one stays for removal.
func (p ProfilePage) isUnnamed(h HostForm) bool {
	return !h.Allow && p.Profile.CheckReference(h.Host) != nil
}
