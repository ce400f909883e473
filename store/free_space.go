package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/app"
)

// reserve must be free on the database's file system before the store takes anything new, so that
// running executions can end and people can work. A small file system reserves a tenth.
const reserve = 256 << 20

// fullFor is how long a failed write counts as a full disk, even if the file system reports room,
// as with a quota. Then the store tries again.
const fullFor = 2 * time.Second

// logShare is the part of the reserve that the file system itself must have, whatever the database
// can use again: everything is written into the write-ahead log first.
const logShare = 4

// FreeSpace is what the file system of the database has left, in bytes.
type FreeSpace struct {
	Free     int64 // for this process
	Size     int64
	Reserve  int64
	Reusable int64 // pages of the database that hold nothing, which count as free; only looked at when it matters
	Full     bool  // less than the reserve is free, or a write just failed for want of room: nothing new is taken
}

// FreeSpace asks the file system, and the database if that has little room.
func (s *Store) FreeSpace(ctx context.Context) (FreeSpace, error) {
	return s.freeSpace(func() (int64, error) { return s.Reusable(ctx) })
}

func (s *Store) freeSpace(reusable func() (int64, error)) (FreeSpace, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(s.path), &fs); err != nil {
		return FreeSpace{}, fmt.Errorf("store: free space: %w", err)
	}
	block := fs.Bsize
	r := FreeSpace{Free: int64(fs.Bavail) * block, Size: int64(fs.Blocks) * block}
	r.Reserve = min(reserve, r.Size/10)
	r.Full = r.Free < r.Reserve/logShare || s.justFull()
	if r.Full || r.Free >= r.Reserve {
		return r, nil
	}
	var err error
	if r.Reusable, err = reusable(); err != nil {
		return r, err
	}
	r.Full = r.Free+r.Reusable < r.Reserve
	return r, nil
}

// justFull reports whether a write found no room within fullFor.
func (s *Store) justFull() bool {
	at := s.fullAt.Load()
	return at != nil && time.Since(*at) < fullFor
}

// CheckFreeSpace returns nil if the store may take something new, else CodeStorageFull. Running executions
// may end as long as SQLite finds room.
func (s *Store) CheckFreeSpace(ctx context.Context) error {
	r, err := s.FreeSpace(ctx)
	return checkFull(r, err)
}

// CheckFreeSpaceIn is CheckFreeSpace within a transaction. It uses no other connection, since writers must not wait
// for readers.
func (s *Store) CheckFreeSpaceIn(ctx context.Context, tx *Tx) error {
	r, err := s.freeSpace(func() (int64, error) { return reusable(ctx, tx.db) })
	return checkFull(r, err)
}

func checkFull(r FreeSpace, err error) error {
	if err == nil && r.Full {
		return storageFull(nil)
	}
	return err
}

func storageFull(cause error) error {
	e := app.E(app.CodeStorageFull,
		"Airlock's disk is full or not writable, so it takes nothing new",
		"Try again in a few minutes. Ask the operator to make room: the Settings page of the UI says how much there is, "+
			"and it goes on by itself then.")
	e.Cause = cause
	return e
}

// Result codes of SQLite that mean that a file could not grow: https://www.sqlite.org/rescode.html.
const (
	sqliteFull    = 13
	sqliteWrite   = 10 | 3<<8  // IOERR_WRITE: what a quota makes of it
	sqliteShmSize = 10 | 19<<8 // IOERR_SHMSIZE
)

// noted gives a failed write the code that callers act on if there was no room for it, or another
// process was in the way. The transaction was rolled back; nothing is damaged.
func (s *Store) noted(err error) error {
	now := time.Now()
	switch {
	case busy(err):
		s.keptAt.Store(&now)
		return storageBusy(err)
	case !noRoom(err):
		return err
	}
	s.fullAt.Store(&now)
	return storageFull(err)
}

// unopened is noted for a database that could not be opened: its shared memory file and its
// write-ahead log need some room even to read.
func unopened(dir string, err error) error {
	switch {
	case busy(err):
		return storageBusy(err)
	case !noRoom(err) && !errors.Is(err, unix.ENOSPC):
		return err
	}
	e := app.E(app.CodeStorageFull,
		fmt.Sprintf("there is no room on the disk of %s, not even for the little that Airlock writes when it starts", dir),
		"Make room on it or enlarge it, then start again. Nothing is damaged.")
	e.Cause = err
	return e
}

func storageBusy(cause error) error {
	e := app.E(app.CodeStorageBusy, "another program has kept Airlock's database for itself, so this was not stored",
		"Try again in a few seconds. If it stays, the person who runs Airlock looks for a program that has airlock.db "+
			"open: an airlock admin import, or a shell of SQLite in a transaction.")
	e.Cause = cause
	return e
}

func busy(err error) bool { return resultCode(err)&0xff == sqliteBusy }

// resultCode is SQLite's, 0 if the error is not from there.
func resultCode(err error) int {
	var failed interface{ Code() int }
	if err == nil || !errors.As(err, &failed) {
		return 0
	}
	return failed.Code()
}

func noRoom(err error) bool {
	switch resultCode(err) {
	case sqliteFull, sqliteWrite, sqliteShmSize:
		return true
	}
	return false
}
