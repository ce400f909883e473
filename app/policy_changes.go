package app

import (
	"fmt"
	"slices"
)

// Changes describes what p grants more (+), less (−) or otherwise than before.
func (p Policy) Changes(before Policy) []string {
	now, then := termsOf(p.Hosts), termsOf(before.Hosts)
	var list []string
	add := func(sign string, terms, others []string) {
		for _, t := range terms {
			if !slices.Contains(others, t) {
				list = append(list, sign+" "+t)
			}
		}
	}
	add("+", now, then)
	add("−", then, now)
	keys, old := grantsByKey(p), grantsByKey(before)
	for _, g := range p.Keys {
		was, known := old[g.Key]
		switch {
		case !known:
			list = append(list, "+ key "+g.Key)
		case was.CredentialID != g.CredentialID:
			list = append(list, g.Key+" has another credential")
		case was.Mode != g.Mode:
			list = append(list, fmt.Sprintf("%s: %s instead of %s", g.Key, g.Mode, was.Mode))
		case !slices.Equal(termsOf(was.Hosts), termsOf(g.Hosts)):
			list = append(list, g.Key+" belongs to other hosts")
		}
	}
	for _, g := range before.Keys {
		if _, known := keys[g.Key]; !known {
			list = append(list, "− key "+g.Key)
		}
	}
	if p.Placement != before.Placement {
		list = append(list, "another sandbox")
	}
	return list
}

// termsOf names a host list's permissions, port by port, sorted.
func termsOf(hosts []Host) []string {
	var list []string
	for _, h := range hosts {
		for _, port := range h.Ports {
			one := h
			one.Ports = []int{port}
			text := one.String()
			if h.Protocol != "" {
				text += " as " + string(h.Protocol)
			}
			if h.Private {
				text += ", including private addresses"
			}
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func grantsByKey(p Policy) map[string]Grant {
	all := map[string]Grant{}
	for _, g := range p.Keys {
		all[g.Key] = g
	}
	return all
}
