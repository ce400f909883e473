package e2e

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// InNamespaces reruns this test in its own network and mount namespaces. It reports whether the
// caller is that inner run, which may use every address. Such tests run in parallel. It needs root,
// or user namespaces.
func InNamespaces(t *testing.T) bool {
	if os.Getenv("AIRLOCK_TEST_WORLD") == "1" {
		Must(t, os.Unsetenv("AIRLOCK_TEST_WORLD"))
		return true
	}
	t.Parallel()
	args := []string{"--net", "--mount"}
	if os.Getuid() != 0 {
		args = append(args, "--user", "--map-current-user", "--keep-caps")
	}
	args = append(args, "--", os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout="+innerTime().String())
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	inner := exec.Command("unshare", args...)
	inner.Env = append(os.Environ(), "AIRLOCK_TEST_WORLD=1", innerProgram+"="+BinDir)
	var out bytes.Buffer
	inner.Stdout = &out
	if testing.Verbose() { // as it comes: some run for an hour
		inner.Stdout = os.Stdout
	}
	inner.Stderr = inner.Stdout
	if err := inner.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	return false
}

// innerTime is less than the outer run's time, so that hangs are reported.
func innerTime() time.Duration {
	limit, _ := time.ParseDuration(flag.Lookup("test.timeout").Value.String())
	return limit * 9 / 10
}
