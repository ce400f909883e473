package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Kinds of jobs.
const (
	JobExport = "export"
	JobPlan   = "plan"
	JobImport = "import"
	JobBackup = "backup"
)

// jobLife is how long a finished job is kept, with its file and passphrase.
const jobLife = 30 * time.Minute

// Job is work that takes longer than a page. Callers get copies of its state.
type Job struct {
	ID       string
	Kind     string
	By       app.Actor
	Started  time.Time
	Ended    time.Time // zero while it runs
	Err      error     // why it failed
	Done     int64     // of Total; executions or bytes
	Total    int64     // 0 while that is not known
	Exported Exported  // of an export
	Size     int64     // of an export's file, bytes
	Plan     Plan      // of a plan
	Report   Report    // of an import
}

// IsRunning reports whether it has not ended.
func (j Job) IsRunning() bool { return j.Ended.IsZero() }

// jobs holds the one job in memory. A restart forgets it, and Tidy removes its files.
type jobs struct {
	mu       sync.Mutex
	job      *Job
	progress *Progress
	file     string // path of what was written or uploaded
	upload   Upload // of a plan
	cancel   context.CancelFunc
	done     chan struct{}
	closed   bool
}

// start runs fn in the background unless a job runs. It removes the former job's files.
func (s *Service) start(kind string, by app.Actor, fn func(ctx context.Context, job *Job, p *Progress) error) (string,
	error) {
	if err := by.PeopleOnly(); err != nil {
		return "", err
	}
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	if s.jobs.closed {
		return "", app.E(app.CodeConflict, "Airlock is being stopped", "Begin again when it has been started.")
	}
	if s.jobs.job != nil && s.jobs.job.IsRunning() {
		return "", app.E(app.CodeConflict, "another export, import or backup is under way",
			"Wait until it has ended, then try again.")
	}
	if kind != JobImport { // which reads what its plan has read
		s.dropFilesLocked()
	}
	ctx, cancel := context.WithCancel(context.Background())
	id, progress, done := app.NewID(), &Progress{}, make(chan struct{})
	s.jobs.job, s.jobs.progress, s.jobs.cancel, s.jobs.done = &Job{ID: id, Kind: kind, By: by, Started: s.now()}, progress,
		cancel, done
	result := *s.jobs.job
	go func() {
		defer close(done)
		defer cancel()
		err := fn(ctx, &result, progress)
		s.jobs.mu.Lock()
		defer s.jobs.mu.Unlock()
		result.Err, result.Ended = err, s.now()
		s.jobs.job = &result
		if err != nil {
			s.dropFilesLocked()
			s.cfg.Log.Warn("a "+kind+" failed", "error", err) //nolint:sloglint // a handful of words
		}
	}()
	return id, nil
}

// Job returns a job's state. CodeNotFound if it ended long ago or before a restart.
func (s *Service) Job(id string) (Job, error) {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	s.expireLocked()
	if s.jobs.job == nil || s.jobs.job.ID != id {
		return Job{}, app.E(app.CodeNotFound, "this export or import is not there any more", "Begin again.")
	}
	j := *s.jobs.job
	j.Done, j.Total = s.jobs.progress.Of()
	return j, nil
}

// Run forgets jobs that ended long ago, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.forgetOld()
		}
	}
}

func (s *Service) forgetOld() {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	s.expireLocked()
}

// expireLocked forgets a job that ended long ago. jobs.mu is held.
func (s *Service) expireLocked() {
	if j := s.jobs.job; j != nil && !j.IsRunning() && s.now().Sub(j.Ended) > jobLife {
		s.dropFilesLocked()
		s.jobs.job = nil
	}
}

// dropFilesLocked removes the files of the job. jobs.mu is held.
func (s *Service) dropFilesLocked() {
	if s.jobs.file != "" {
		_ = os.Remove(s.jobs.file)
	}
	s.jobs.file, s.jobs.upload = "", Upload{}
}

// StartExport exports into a file that Download gives out.
func (s *Service) StartExport(by app.Actor, passphrase app.Secret, what Selection) (string, error) {
	return s.start(JobExport, by, func(ctx context.Context, job *Job, p *Progress) error {
		file, err := s.scratchFile()
		if err != nil {
			return err
		}
		job.Exported, err = s.Export(ctx, by, s.WatchSpace(file), passphrase, what, p)
		if err == nil {
			var info os.FileInfo
			if info, err = file.Stat(); err == nil {
				job.Size = info.Size()
			}
		}
		return errors.Join(err, file.Close())
	})
}

// Download opens the file of a finished export. The caller closes it.
func (s *Service) Download(id string) (*os.File, error) {
	j, err := s.Job(id)
	if err != nil {
		return nil, err
	}
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	if j.Kind != JobExport || j.IsRunning() || j.Err != nil || s.jobs.file == "" {
		return nil, app.E(app.CodeNotFound, "there is no file to download", "Begin the export again.")
	}
	return os.Open(s.jobs.file)
}

// Receive stores an upload until its job of StartPlan is forgotten. It refuses more than the disk
// has room for.
func (s *Service) Receive(r io.Reader) (path string, size int64, err error) {
	file, err := os.CreateTemp(s.cfg.Dir, scratchPrefix)
	if err != nil {
		return "", 0, fmt.Errorf("transfer: upload: %w", err)
	}
	size, err = io.Copy(s.WatchSpace(file), r)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", 0, errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), size, nil
}

// StartPlan reads an upload of Receive. The file belongs to the job from now on, even after an
// error.
func (s *Service) StartPlan(by app.Actor, path string, size int64, passphrase app.Secret) (string, error) {
	file := localFile(path, size, passphrase)
	id, err := s.start(JobPlan, by, func(ctx context.Context, job *Job, p *Progress) error {
		s.jobs.mu.Lock()
		s.jobs.file, s.jobs.upload = path, file
		s.jobs.mu.Unlock()
		var err error
		job.Plan, err = s.Plan(ctx, by, file, p)
		return err
	})
	if err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return id, nil
}

// StartImport imports what a plan found, as the choice says.
func (s *Service) StartImport(by app.Actor, plan string, choice Choice) (string, error) {
	j, err := s.Job(plan)
	if err != nil {
		return "", err
	}
	s.jobs.mu.Lock()
	file := s.jobs.upload
	s.jobs.mu.Unlock()
	if j.Kind != JobPlan || j.IsRunning() || j.Err != nil || file.Open == nil {
		return "", app.E(app.CodeNotFound, "there is nothing to import", "Upload the file again.")
	}
	return s.start(JobImport, by, func(ctx context.Context, job *Job, p *Progress) error {
		var err error
		job.Plan = j.Plan
		job.Report, err = s.Import(ctx, by, file, choice, j.Plan, p)
		if err == nil {
			s.jobs.mu.Lock()
			s.dropFilesLocked()
			s.jobs.mu.Unlock()
		}
		return err
	})
}

// StartBackup runs backUp in the background.
func (s *Service) StartBackup(by app.Actor, backUp func(context.Context) error) (string, error) {
	return s.start(JobBackup, by, func(ctx context.Context, _ *Job, _ *Progress) error { return backUp(ctx) })
}

// What begins the names of files and directories that no restart needs.
const (
	scratchPrefix = "transfer-"
	BackupPrefix  = "backup-" // of app/backups
	restorePrefix = "restore-"
)

func (s *Service) scratchFile() (*os.File, error) {
	file, err := os.CreateTemp(s.cfg.Dir, scratchPrefix)
	if err != nil {
		return nil, fmt.Errorf("transfer: %w", err)
	}
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	s.jobs.file = file.Name()
	return file, nil
}

// Tidy removes files of an earlier process's jobs and backups. Only the server calls it, before it
// starts any.
func (s *Service) Tidy() error {
	entries, err := os.ReadDir(s.cfg.Dir)
	if err != nil {
		return fmt.Errorf("transfer: tidy: %w", err)
	}
	var errs []error
	for _, e := range entries {
		unfinished := strings.HasPrefix(e.Name(), pointPrefix) && strings.HasSuffix(e.Name(), store.CopySuffix)
		for _, prefix := range []string{scratchPrefix, BackupPrefix, restorePrefix} {
			unfinished = unfinished || strings.HasPrefix(e.Name(), prefix)
		}
		if unfinished {
			errs = append(errs, os.RemoveAll(filepath.Join(s.cfg.Dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// Close ends the running job, removes its files and prevents others.
func (s *Service) Close() {
	s.jobs.mu.Lock()
	s.jobs.closed = true
	cancel, done := s.jobs.cancel, s.jobs.done
	s.jobs.mu.Unlock()
	if done == nil {
		return
	}
	cancel()
	<-done
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	s.dropFilesLocked()
}

// Progress counts finished work. A nil Progress counts nothing. Safe for concurrent use.
type Progress struct{ done, total atomic.Int64 }

// Of returns the work done and in total; total is 0 while unknown.
func (p *Progress) Of() (done, total int64) {
	if p == nil {
		return 0, 0
	}
	return p.done.Load(), p.total.Load()
}

func (p *Progress) expect(total int64) {
	if p != nil {
		p.done.Store(0)
		p.total.Store(total)
	}
}

func (p *Progress) step() { p.add(1) }

func (p *Progress) add(n int64) {
	if p != nil {
		p.done.Add(n)
	}
}
