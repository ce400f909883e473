package probe

import (
	"testing"

	"github.com/computclaw/airlock/plugins"
)

// TestRefute makes sure that a control that doesn't hold stops the backend, whichever it is.
func TestRefute(t *testing.T) {
	ok := plugins.Report{Enforced: map[string]string{"cpu": "cgroup"},
		Controls: []plugins.Control{{Name: "a", Proved: true}, {Name: ControlCPU, Proved: true}}}
	if err := Refute(ok); err != nil {
		t.Error(err)
	}
	for i := range ok.Controls {
		bad := ok
		bad.Controls = append([]plugins.Control(nil), ok.Controls...)
		bad.Controls[i].Proved = false
		if Refute(bad) == nil {
			t.Errorf("%s may fail", ok.Controls[i].Name)
		}
	}
	unlimited := plugins.Report{Controls: []plugins.Control{{Name: ControlCPU}}}
	if err := Refute(unlimited); err != nil {
		t.Errorf("processor time where nothing limits it: %v", err)
	}
}
