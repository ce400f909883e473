package egress

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

// TestHoleH3SentenceTellsEveryRelay: entry texts, possible requests and the ledger agree with what
// is done.
func TestHoleH3SentenceTellsEveryRelay(t *testing.T) {
	for _, protocol := range []app.Protocol{"", app.ProtocolHTTP, app.ProtocolHTTPS, app.ProtocolPostgres,
		app.ProtocolTCP} {
		for _, port := range []int{80, 443, 5432, 8443} {
			for _, sealed := range []bool{false, true} {
				h := app.Host{Name: "cdn.test", Ports: []int{port}, Protocol: protocol}
				var belongs []app.Host
				if sealed {
					belongs = []app.Host{{Name: "cdn.test", Ports: []int{port}}}
				}
				w := handlingOf(h, port, sealed)
				if told := strings.Contains(h.Sentence(belongs), "check the server name"); told != (w == relayAny) {
					t.Errorf("%s, sealed %v, is way %d: %s", h.Brief(), sealed, w, h.Sentence(belongs))
				}
				// What another profile's credential makes Airlock read, the sentence doesn't know.
				if never := strings.Contains(h.Sentence(nil), "can't"); never && w != relayAny {
					t.Errorf("%s, sealed %v for another profile, is way %d: %s", h.Brief(), sealed, w, h.Sentence(nil))
				}
				if told := strings.HasSuffix(allowingRule(h, w), NotChecked); told != (w == relayAny) {
					t.Errorf("%s, sealed %v, is way %d: %s", h.Brief(), sealed, w, allowingRule(h, w))
				}
				if err := h.CheckAskable(); w == relayAny && (port == 80 || port == 443) && app.CodeOf(err) != app.CodeInvalidField {
					t.Errorf("an agent can ask for %s: %v", h.Brief(), err)
				}
			}
		}
	}
}
