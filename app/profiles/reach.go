package profiles

import (
	"slices"

	"github.com/computclaw/airlock/app"
)

// reachable returns where a sealed value can go: hosts of both key and profile. An allowed host
// named by a plain key may be any of them.
func reachable(k KeyGrant, allowed []app.Host) []app.Host {
	var all []app.Host
	for _, w := range usable(k) {
		for _, a := range allowed {
			if a.KeyReference() != "" {
				a.Name = w.Name
			}
			h, _ := w.Overlap(a)
			if h = dropUnencrypted(k, h); len(h.Ports) > 0 && readable(h) { // the profile may say another protocol
				all = append(all, h)
			}
		}
	}
	return mergeNames(all)
}

// usable returns a sealed value's hosts, with unencrypted ports only if permitted.
func usable(k KeyGrant) []app.Host {
	var all []app.Host
	for _, h := range k.Where {
		if h = dropUnencrypted(k, h); len(h.Ports) > 0 && readable(h) {
			all = append(all, h)
		}
	}
	return all
}

// dropUnencrypted returns the host without unencrypted ports, unless the key's credential permits
// them.
func dropUnencrypted(k KeyGrant, h app.Host) app.Host {
	if !k.PlainHTTP {
		h.Ports = slices.DeleteFunc(slices.Clone(h.Ports), func(p int) bool { return h.IsUnencrypted(p) })
	}
	return h
}

func isUnencrypted(h app.Host) bool {
	return slices.ContainsFunc(h.Ports, func(p int) bool { return h.IsUnencrypted(p) })
}

// readable reports whether Airlock reads traffic to a host and can insert values.
func readable(h app.Host) bool { return !h.Protocol.Raw() }

// mergeNames joins entries of one name.
func mergeNames(hosts []app.Host) []app.Host {
	var all []app.Host
	for _, h := range hosts {
		i := slices.IndexFunc(all, func(have app.Host) bool { return have.Name == h.Name })
		if i < 0 {
			all = append(all, h)
			continue
		}
		all[i].Ports = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(all[i].Ports), h.Ports...))))
	}
	return all
}

// Stranded is a sealed key whose hosts scripts can't reach.
type Stranded struct {
	Key   string
	Hosts []app.Host // any of them would do
}

// StrandedKeys finds stranded keys. It omits keys that no host of the profile could help.
func StrandedKeys(keys []KeyGrant, allowed []app.Host) []Stranded {
	var all []Stranded
	for _, k := range keys {
		if k.Key.CredentialMode != app.ModeSealed || len(reachable(k, allowed)) > 0 {
			continue
		}
		if where := usable(k); len(where) > 0 {
			all = append(all, Stranded{Key: k.Key.Name, Hosts: where})
		}
	}
	return all
}
