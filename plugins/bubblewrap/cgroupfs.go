package bubblewrap

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/cgroup"
	"github.com/computclaw/airlock/plugins/owner"
)

// cgroupDir is one directory of a cgroup file system.
type cgroupDir string

func (d cgroupDir) file(name string) string { return filepath.Join(string(d), name) }

func (d cgroupDir) write(name, value string) error {
	// Without O_CREATE and O_TRUNC: these are not files.
	f, err := os.OpenFile(d.file(name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return cmp.Or(err, f.Close())
}

// writeIfThere writes a control that not every kernel has.
func (d cgroupDir) writeIfThere(name, value string) error {
	err := d.write(name, value)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (d cgroupDir) number(name string) (int64, error) { return cgroup.Number(string(d), name) }

func (d cgroupDir) readKeyed(name, key string) (int64, error) {
	return cgroup.ReadKeyed(string(d), name, key)
}

func (d cgroupDir) pids() ([]int, error) {
	b, err := os.ReadFile(d.file("cgroup.procs"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, field := range bytes.Fields(b) {
		pid, err := strconv.Atoi(string(field))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.file("cgroup.procs"), err)
		}
		// 0 is a process in another pid namespace, and "kill 0" would hit our own group.
		if pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// openProcs opens the cgroup.procs of each directory.
func openProcs(dirs ...cgroupDir) (procs []*os.File, err error) {
	for _, d := range dirs {
		f, err := os.OpenFile(d.file("cgroup.procs"), os.O_WRONLY, 0)
		if err != nil {
			closeAll(procs)
			return nil, err
		}
		procs = append(procs, f)
	}
	return procs, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

func (d cgroupDir) killAll() error {
	pids, err := d.pids()
	for _, pid := range pids {
		if e := unix.Kill(pid, unix.SIGKILL); e != nil && e != unix.ESRCH {
			err = cmp.Or(err, e)
		}
	}
	return err
}

func (d cgroupDir) remove() error {
	if err := os.Remove(string(d)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sweep ends groups of an instance's earlier processes, and this process's unless keep accepts
// them. It removes dead owners' groups, which are empty: a box ends with its owner.
func (d cgroupDir) sweep(names owner.Names, keep func(id string) bool, end func(cgroupDir) error) error {
	entries, err := os.ReadDir(string(d))
	errs := []error{err}
	for _, e := range entries {
		whose, id, ok := owner.Parse(e.Name())
		dir := cgroupDir(d.file(e.Name()))
		switch {
		case !ok, whose == names && keep(id):
		case whose.Instance == names.Instance:
			errs = append(errs, end(dir))
		case whose.Owner.Dead():
			_ = dir.remove() // without the right, somebody else does
		}
	}
	return errors.Join(errs...)
}

// writable tests by a trial whether groups can be made here. Permission bits don't tell.
func (d cgroupDir) writable(names owner.Names) error {
	dir := cgroupDir(d.file(names.Of("_try")))
	if err := makeDir(dir); err != nil {
		return err
	}
	return os.Remove(string(dir))
}

func makeDir(d cgroupDir) error {
	err := os.Mkdir(string(d), 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
