package supervisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/computclaw/airlock/plugins/landlock/ruleset"
)

// Descriptors that the backend gives to a supervisor, after the guest's stdin, stdout and stderr.
const (
	configFD = 3 // Config as JSON, one line; the end of this pipe ends the box
	reportFD = 4 // Report as JSON
	guestFD  = 5 // the guest's program
	ownFD    = 6 // the supervisor's
)

// Config is one box.
type Config struct {
	Guest   []string        `json:"guest"`  // argv; the program is guestFD unless Path is set
	Path    string          `json:"path"`   // of another program to start as the guest, for probes
	UID     int             `json:"uid"`    // and gid, of the box's own; 0 for the supervisor's
	ABI     int             `json:"abi"`    // of Landlock, at most what the kernel has
	Filter  []byte          `json:"filter"` // seccomp program for a listener
	Tmp     string          `json:"tmp"`    // the box's private directory, made and removed by the supervisor
	Ruleset ruleset.Ruleset `json:"ruleset"`
	Limits  Limits          `json:"limits"`
}

// Limits are those of plugins.Limits that a supervisor holds; none is zero.
type Limits struct {
	Memory int64 `json:"memory"` // bytes
	Pids   int64 `json:"pids"`   // processes and threads
	Tmp    int64 `json:"tmp"`    // bytes
	Files  int64 `json:"files"`  // descriptors per process
}

// Reasons of a Report.
const (
	ReasonExit   = "exit"   // the guest ended by itself
	ReasonKilled = "killed" // the config pipe ended
	ReasonMemory = "memory" // too much memory
	ReasonTmp    = "tmp"    // too much in the private directory, or the disk below it is nearly full
)

// Report is how a box ended.
type Report struct {
	Error   string `json:"error,omitempty"` // it could not be opened
	Code    int    `json:"code"`
	Signal  int    `json:"signal"`
	Reason  string `json:"reason"`
	Peak    int64  `json:"peak"`           // bytes
	CPU     int64  `json:"cpu"`            // nanoseconds
	Refused int64  `json:"refused"`        // forks
	Left    string `json:"left,omitempty"` // what could not be cleaned up
}

const maxConfig = 1 << 20

func readConfig(pipe *os.File) (Config, error) {
	var line []byte
	one := make([]byte, 64<<10)
	for len(line) == 0 || line[len(line)-1] != '\n' {
		n, err := pipe.Read(one)
		line = append(line, one[:n]...)
		if err != nil {
			return Config{}, fmt.Errorf("config: %w", err)
		}
		if len(line) > maxConfig {
			return Config{}, errors.New("config: too long")
		}
	}
	var c Config
	if err := json.Unmarshal(line, &c); err != nil {
		return Config{}, fmt.Errorf("config: %w", err)
	}
	if len(c.Guest) == 0 || c.Tmp == "" || len(c.Filter) == 0 || c.ABI < 1 || c.Limits.Memory <= 0 ||
		c.Limits.Pids <= 0 ||
		c.Limits.Tmp <= 0 || c.Limits.Files <= 0 {
		return Config{}, errors.New("config: incomplete")
	}
	own, err := OwnCapabilities()
	if err != nil {
		return Config{}, fmt.Errorf("config: %w", err)
	}
	if c.UID == 0 && (c.ABI < ruleset.ScopedABI || os.Geteuid() == 0 && !own.Powerless()) {
		return Config{}, errors.New("config: a box needs a uid of its own; it may share one only with a supervisor " +
			"that isn't root or has no capabilities, under Landlock that scopes signals")
	}
	return c, nil
}

func (r Report) write(w io.Writer) error {
	return json.NewEncoder(w).Encode(r)
}
