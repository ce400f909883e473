package programs_test

import (
	"flag"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/plugins/sandboxtest/ordinary"
)

var (
	matrix = flag.Bool("matrix", false, "run every ordinary program on every backend, not on the default one alone")
	only   = flag.String("program", "", "run the programs whose names have this in them")
)

func TestMain(m *testing.M) { e2e.RunTests(m) }

// TestOrdinaryPrograms runs every ordinary program on the default backend. Its hosts: sealed,
// relayed, plain HTTP, and a database.
func TestOrdinaryPrograms(t *testing.T) {
	if e2e.InNamespaces(t) {
		runPrograms(t, "bubblewrap", "AIRLOCK_BOX=fresh")
	}
}

// TestOrdinaryProgramsFromATemplate does the same in boxes that are forked.
func TestOrdinaryProgramsFromATemplate(t *testing.T) {
	if needsMatrix(t) && e2e.InNamespaces(t) {
		runPrograms(t, "bubblewrap", "AIRLOCK_BOX=template")
	}
}

// TestOrdinaryProgramsOverLandlock does the same without namespaces.
func TestOrdinaryProgramsOverLandlock(t *testing.T) {
	if needsMatrix(t) && e2e.InNamespaces(t) {
		runPrograms(t, "landlock")
	}
}

// TestOrdinaryProgramsOverDocker does the same in containers.
func TestOrdinaryProgramsOverDocker(t *testing.T) {
	if needsMatrix(t) && e2e.InNamespaces(t) {
		runPrograms(t, "docker")
	}
}

// TestOrdinaryProgramsOverSSH does the same on another machine.
func TestOrdinaryProgramsOverSSH(t *testing.T) {
	if needsMatrix(t) && e2e.InNamespaces(t) {
		runPrograms(t, "ssh")
	}
}

func needsMatrix(t *testing.T) bool {
	if !*matrix {
		t.Skip("only with -matrix")
	}
	return true
}

// runPrograms runs the programs, some at the same time. Where a program is to fail, it has to: its
// exception is outdated otherwise.
func runPrograms(t *testing.T, backend string, settings ...string) {
	programs, err := ordinary.Programs()
	e2e.Must(t, err)
	programs = slices.DeleteFunc(programs, func(p ordinary.Program) bool { return !strings.Contains(p.Name, *only) })
	in, profile := startWorld(t, append(settings, e2e.Settings(t, backend)...)...)
	slots := make(chan struct{}, 3)
	var running sync.WaitGroup
	for _, p := range programs {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			judge(t, p, backend, in.Await(in.Submit(profile, p.Script, time.Minute), 2*time.Minute))
		})
	}
	running.Wait()
}

func judge(t *testing.T, p ordinary.Program, backend string, x e2e.Execution) {
	why, excepted := p.Except[backend]
	works := x.Status == "completed" && string(x.Result) == ordinary.Works
	switch {
	case strings.HasPrefix(string(x.Result), ordinary.Missing) && backend == "docker": // its test image is a small one
		t.Logf("%s: not tried: %s", p.Name, x.Result)
	case works && excepted:
		t.Errorf("%s works on %s, though its head says: %s", p.Name, backend, why)
	case !works && !excepted:
		t.Errorf("%s (%s): %s %s %s\n%.3000s", p.Name, p.Title, x.Status, x.Result, x.Error, x.Stdout+x.Stderr)
	}
}

// startWorld starts a server in a small internet, and makes the profile of the programs.
func startWorld(t *testing.T, env ...string) (in *e2e.Instance, profile string) {
	const password = "correct-horse-battery-staple"
	world, tls, database := e2e.NewWorld(t), e2e.NewTLSWorld(t), vaulttest.StartPostgres(t, password).Address
	in = e2e.StartInstance(t, append(env, "AIRLOCK_EXTRA_CA="+tls.Roots,
		"AIRLOCK_LOCAL_SERVICES="+world.Services+","+tls.Services+",db.test:5432="+database)...)
	in.Admin("sk-of-the-ordinary-programs-0123456789", "credential", "set", "TOKEN", "--mode", "sealed", "--host", "echo.test",
		"--header", "Authorization", "--header", "Cookie")
	in.Admin(password, "credential", "set", "DB_PASSWORD", "--mode", "injected")
	profile = in.Admin("", "profile", "create", "--description", "ordinary programs", "--key", "TOKEN", "--key",
		"DB_PASSWORD", "--host", "echo.test", "--host", "allowed.test:8080", "--host", "db.test:5432")
	in.Admin("", "profile", "lock", profile)
	return in, profile
}
