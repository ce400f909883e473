package config

import (
	"strings"
	"testing"
)

func TestOwnPlugins(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	c, err := Load([]string{"AIRLOCK_PLUGINS=mybox=/opt/mybox@sha256:" + sum + ", other=/opt/o@x@sha256:" + sum,
		"AIRLOCK_SANDBOX=mybox,bubblewrap", "AIRLOCK_PLUGIN_MYBOX_COLOUR=blue"})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Plugins) != 2 || c.Plugins[1].Path != "/opt/o@x" ||
		showPlugins(&c) != "mybox=/opt/mybox@sha256:"+sum+",other=/opt/o@x@sha256:"+sum || c.Auto() {
		t.Errorf("%+v", c.Plugins)
	}
	for _, tt := range []struct{ env, want string }{
		{"AIRLOCK_PLUGINS=mybox=/opt/mybox", "not of the form"},
		{"AIRLOCK_PLUGINS=My-Box=/opt/mybox@sha256:" + sum, "is not a name"},
		{"AIRLOCK_PLUGINS=auto=/opt/mybox@sha256:" + sum, "is not a name"},
		{"AIRLOCK_PLUGINS=mybox=opt/mybox@sha256:" + sum, "not a clean absolute path"},
		{"AIRLOCK_PLUGINS=mybox=/opt/../mybox@sha256:" + sum, "not a clean absolute path"},
		{"AIRLOCK_PLUGINS=mybox=/opt/mybox@sha256:abcd", "the checksum is not"},
		{"AIRLOCK_PLUGINS=bubblewrap=/opt/mybox@sha256:" + sum, "there is a backend bubblewrap already"},
		{"AIRLOCK_SANDBOX=mybox", `there is no backend "mybox"`},
		{"AIRLOCK_SANDBOX=auto,bubblewrap", "auto stands alone"},
		{"AIRLOCK_SANDBOX=bubblewrap,bubblewrap", "named twice"},
		{"AIRLOCK_PLUGIN_BUBLEWRAP_ROOT=/x", `there is no backend "bublewrap"`},
	} {
		if _, err := Load([]string{tt.env}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.env, err, tt.want)
		}
	}
}
