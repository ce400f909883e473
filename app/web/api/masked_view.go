package api

import (
	"cmp"
	"maps"
	"slices"

	"github.com/computclaw/airlock/app/redact"
)

// maskedView tells which key was masked in a channel, and how often. Key is empty for rules, for
// credentials that aren't the profile's, and for unchecked output.
type maskedView struct {
	Key     string `json:"key" about:"of the profile; empty for what looks like a secret"`
	Channel string `json:"channel" about:"stdout, stderr, error, result, prompt, network, artifacts"`
	Count   int    `json:"count"`
}

// viewMasked sums hits by channel and key. It names no encodings, rules or foreign credentials.
func viewMasked(hits map[string]redact.Hits) []maskedView {
	counts := map[maskedView]int{}
	for channel, list := range hits {
		for _, h := range list {
			v := maskedView{Channel: channel}
			if h.Rule == "" {
				v.Key = h.Name
			}
			counts[v] += h.Count
		}
	}
	list := slices.SortedFunc(maps.Keys(counts), func(a, b maskedView) int {
		return cmp.Or(cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Key, b.Key))
	})
	for i, v := range list {
		list[i].Count = counts[v]
	}
	return list
}
