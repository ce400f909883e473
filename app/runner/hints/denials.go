package hints

import (
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// Denials names what stopped each denied place. The hint of its ledger row has the next step.
func Denials(ledger []app.Connection) []string {
	var list []string
	for _, c := range ledger {
		if c.Rule == rules.Cancelled || c.Rule == rules.Closed {
			continue
		}
		explained := rules.Explain(c)
		if explained == nil {
			continue
		}
		hint := explained.Message + "."
		if !slices.Contains(list, hint) { // a ledger has a row per request
			list = append(list, hint)
		}
	}
	return list
}
