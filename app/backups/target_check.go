package backups

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
)

// try writes, reads and deletes a file in the target. Its error names the setting to correct.
func (b BackupSettings) try(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 45*time.Second)
	defer cancel()
	target, err := b.open()
	if err == nil {
		err = tryTarget(ctx, target)
	}
	if err != nil {
		return b.unusable(err)
	}
	return nil
}

var errOther = errors.New("it gives back something else than was written")

func tryTarget(ctx context.Context, target blobs.Store) (err error) {
	name, content := "airlock-try-"+app.NewID(), []byte("Airlock tries whether it can write here.\n")
	// List distinguishes a wrong key from a missing bucket. Permission to list is optional.
	if _, err := target.List(ctx, name); err != nil && !errors.Is(err, blobs.ErrDenied) {
		return err
	}
	if err := target.Put(ctx, name, bytes.NewReader(content), int64(len(content))); err != nil {
		return err
	}
	defer func() {
		if err != nil { // nobody would know what it is
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
			defer cancel()
			_ = target.Delete(ctx, name)
		}
	}()
	r, err := target.Get(ctx, name)
	if err != nil {
		return err
	}
	got, err := io.ReadAll(io.LimitReader(r, 1000))
	if err = errors.Join(err, r.Close()); err != nil {
		return err
	}
	if !bytes.Equal(got, content) {
		return errOther
	}
	return target.Delete(ctx, name)
}

// unusable explains why a target doesn't work, at the setting that causes it. The storage's unknown
// errors keep their text.
func (b BackupSettings) unusable(err error) error {
	const hint = "Nothing was saved. Correct it and save again."
	var known *app.Error
	if errors.As(err, &known) {
		return known
	}
	field, message := "", "backups can't be kept there: "+app.Clip(strings.TrimPrefix(err.Error(), "blobs: "), 300)
	is := func(kinds ...error) bool {
		for _, k := range kinds {
			if errors.Is(err, k) {
				return true
			}
		}
		return false
	}
	switch {
	case is(blobs.ErrAccessKey):
		field, message = "access_key", "the storage does not know this access key"
	case is(blobs.ErrSecretKey):
		field, message = "secret_key", "this is not the secret key of that access key"
	case is(blobs.ErrDenied):
		field, message = "access_key", "the storage does not let these keys write, read and delete files in the bucket"
	case is(blobs.ErrBucket):
		field, message = "bucket", fmt.Sprintf("there is no bucket %s in this storage", b.S3.Bucket)
	case is(blobs.ErrUnreachable, context.DeadlineExceeded):
		field, message = "endpoint", "the storage can't be reached: "+app.Clip(innermostText(err), 200)
	case b.Kind == ToDirectory && is(fs.ErrNotExist):
		field, message = "directory", "there is no directory "+b.Directory
	case b.Kind == ToDirectory && is(fs.ErrPermission, syscall.EROFS):
		field, message = "directory", "Airlock may not write in "+b.Directory
	case b.Kind == ToDirectory && is(syscall.ENOSPC, syscall.EDQUOT):
		field, message = "directory", b.Directory+" is full"
	case b.Kind == ToDirectory:
		field = "directory"
	}
	e := app.Invalid(field, message, hint)
	e.Cause = err
	return e
}

// innermostText is the innermost error's text. The outer ones repeat the address and an internal
// file name.
func innermostText(err error) string {
	for {
		switch inner := err.(type) { //nolint:errorlint // it walks down the chain itself
		case interface{ Unwrap() error }:
			if inner.Unwrap() == nil {
				return err.Error()
			}
			err = inner.Unwrap()
		case interface{ Unwrap() []error }:
			list := inner.Unwrap()
			err = list[len(list)-1]
		default:
			return err.Error()
		}
	}
}
