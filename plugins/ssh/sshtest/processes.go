package sshtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/plugins/procfs"
)

// Boxes lists the processes of all boxes on the machine, as "PID COMMAND LINE".
func (m *Machine) Boxes() []string {
	var found []string
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || !strings.HasPrefix(commandLine(pid), m.Home()+"/") {
			continue
		}
		for _, p := range procfs.Tree(pid) {
			if p.PID != pid {
				found = append(found, strconv.Itoa(p.PID)+" "+commandLine(p.PID))
			}
		}
	}
	return found
}

func commandLine(pid int) string {
	line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	return string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
}
