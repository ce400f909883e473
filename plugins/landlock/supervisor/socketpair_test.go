package supervisor

import (
	"os"
	"os/signal"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMeetingWhileSignalsCome: any signal interrupts a socket with a time limit. Callers got
// "connection refused" then.
func TestMeetingWhileSignalsCome(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, unix.SIGCHLD)
	defer signal.Stop(heard)
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			default:
				_ = unix.Kill(os.Getpid(), unix.SIGCHLD)
				time.Sleep(10 * time.Microsecond)
			}
		}
	}()
	m := &socketPairs{}
	for i := range 5000 {
		client, server, err := m.pair()
		if err != nil {
			t.Fatalf("pair %d: %v", i, err)
		}
		unix.Close(client)
		unix.Close(server)
	}
}

// TestStrangerWithoutDescriptors: a stranger must not block callers when no descriptor is left to
// turn it away.
func TestStrangerWithoutDescriptors(t *testing.T) {
	m := &socketPairs{}
	client, server, err := m.pair()
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(client)
	unix.Close(server)
	stranger, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(stranger)
	if err := unix.Connect(stranger, m.address); err != nil {
		t.Fatal(err)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := limit
	none.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	_, _, err = m.pair()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if err != unix.EMFILE {
		t.Errorf("pair = %v, want EMFILE", err)
	}
	if client, server, err = m.pair(); err != nil {
		t.Fatal(err)
	}
	unix.Close(client)
	unix.Close(server)
}
