package api

import (
	"cmp"
	"maps"
	"slices"

	"github.com/computclaw/airlock/app/redact"
)

// maskedView says which key was masked in a channel, and how often. Key is empty for what no key of
// the profile holds: what a rule found, values of other credentials, and what could not be checked.
type maskedView struct {
	Key     string `json:"key"`
	Channel string `json:"channel"`
	Count   int    `json:"count"`
}

// viewMasked sums hits up by channel and key. It names neither encodings nor rules, nor credentials
// that the execution was not given.
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
