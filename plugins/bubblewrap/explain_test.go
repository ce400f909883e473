package bubblewrap

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

func TestAdvice(t *testing.T) {
	tests := []struct {
		err    error
		sysctl map[string]string
		want   string
	}{
		{syscall.EPERM, nil, "deploy/seccomp/airlock.json --security-opt systempaths=unconfined"},
		{syscall.EPERM, map[string]string{"kernel.unprivileged_userns_clone": "0"}, "unprivileged_userns_clone=1"},
		{syscall.ENOSPC, map[string]string{"user.max_user_namespaces": "0"}, "max_user_namespaces="},
		{errors.New("bwrap: setting up uid map: Permission denied"),
			map[string]string{"kernel.apparmor_restrict_unprivileged_userns": "1"}, "deploy/apparmor/airlock-bwrap"},
		{errors.New("bwrap: Can't mount proc on /newroot/proc: Operation not permitted"), nil,
			"systempaths=unconfined"},
		{errors.New("mount proc: operation not permitted"), nil, "systempaths=unconfined"},
		{errors.New("something else"), nil, ""},
	}
	for _, tt := range tests {
		got := advise(tt.err, surroundings{sysctl: func(name string) string { return tt.sysctl[name] }})
		if !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}

// The shipped profile with --cap-drop ALL must not be advised to use the shipped profile.
func TestAdviceForRootWithoutCapabilities(t *testing.T) {
	none := func(string) string { return "" }
	const caps = "--cap-add SETUID --cap-add SETGID"
	if got := advise(syscall.EPERM, surroundings{sysctl: none, powerless: true}); !strings.Contains(got, caps) {
		t.Errorf("%q", got)
	}
	if got := advise(syscall.EPERM, surroundings{sysctl: none}); strings.Contains(got, caps) {
		t.Errorf("%q, but it has them", got)
	}
}
