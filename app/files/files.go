package files

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Dir is the directory of contents below the data directory.
const Dir = "files"

// Config is what Files needs. Zero Quota and Retention mean their defaults.
type Config struct {
	Store     *store.Store
	Keyring   *secrets.Keyring
	Storage   blobs.Store
	Dir       string        // an existing directory for spools
	Quota     int64         // bytes kept of one profile
	Retention time.Duration // of artifacts, and of files after their last use
	Now       func() time.Time
	Log       *slog.Logger
}

// Files keeps files and artifacts. It is safe for concurrent use.
type Files struct {
	cfg    Config
	prefix string // of its blobs in the storage

	mu      sync.Mutex
	keeping map[string]int64 // bytes that uploads of a profile are about to keep
}

// New returns Files.
func New(cfg Config) *Files {
	if cfg.Quota == 0 {
		cfg.Quota = app.DefaultFilesQuota
	}
	if cfg.Retention == 0 {
		cfg.Retention = app.DefaultFilesRetention * 24 * time.Hour
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Files{cfg: cfg, prefix: ownPrefix(cfg.Keyring), keeping: map[string]int64{}}
}

// Upload keeps a file for the scripts of a profile that may execute. It reads r to its end. Errors:
// CodeInvalidField for a name, CodeTooLarge for the file or the quota, CodeProfileRevoked,
// CodeStorageFull, and those of r.
func (f *Files) Upload(ctx context.Context, profileHandle, name string, r io.Reader) (app.File, error) {
	if name == "" {
		return app.File{}, app.Invalid("name", "the file has no name", "Name it in the address: POST /files?name=orders.csv.")
	}
	if err := CheckName("name", name); err != nil {
		return app.File{}, err
	}
	if err := f.CheckQuota(ctx, profileHandle, app.KeptBytes(0)); err != nil { // before anything is read
		return app.File{}, err
	}
	spool, err := f.NewSpool()
	if err != nil {
		return app.File{}, err
	}
	defer spool.Close()
	if _, err := io.Copy(spool, io.LimitReader(r, app.MaxFileBytes+1)); err != nil {
		return app.File{}, err
	}
	if spool.Size() > app.MaxFileBytes {
		return app.File{}, app.E(app.CodeTooLarge, "the file is larger than "+app.FormatSize(app.MaxFileBytes),
			"Send it compressed or in parts, or have the script read it from an allowed host.")
	}
	if err := spool.Finish(); err != nil {
		return app.File{}, err
	}
	release, err := f.reserve(ctx, profileHandle, app.KeptBytes(spool.Size()))
	if err != nil {
		return app.File{}, err
	}
	defer release()
	blob, err := f.Keep(ctx, spool)
	if err != nil {
		return app.File{}, err
	}
	now := f.cfg.Now().UTC().Truncate(time.Millisecond) // as the store keeps it
	file := app.File{ID: app.NewFileID(), Name: name, Size: spool.Size(), SHA256: spool.SHA256(), CreatedAt: now,
		ExpiresAt: now.Add(app.UnusedFileLife)}
	err = f.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.Files.Add(ctx, profileHandle, store.StoredFile{File: file, Blob: blob.ID})
	})
	return file, err
}

// reserve takes bytes of a profile's quota before an upload is stored. A later refusal would leave
// an uncounted content for an hour. Errors: those of CheckQuota.
func (f *Files) reserve(ctx context.Context, profileHandle string, bytes int64) (release func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.CheckQuota(ctx, profileHandle, f.keeping[profileHandle]+bytes); err != nil {
		return nil, err
	}
	f.keeping[profileHandle] += bytes
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.keeping[profileHandle] -= bytes; f.keeping[profileHandle] == 0 {
			delete(f.keeping, profileHandle)
		}
	}, nil
}

// CheckQuota refuses bytes beyond a profile's quota or the free space. Errors: CodeTooLarge,
// CodeStorageFull.
func (f *Files) CheckQuota(ctx context.Context, profileHandle string, bytes int64) error {
	if space, err := f.cfg.Store.FreeSpace(ctx); err == nil && space.Full {
		return errFull()
	}
	var stored int64
	err := f.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		stored, err = tx.Files.CountBytes(ctx, profileHandle)
		return err
	})
	if err == nil && stored+bytes > f.cfg.Quota {
		return app.E(app.CodeTooLarge, fmt.Sprintf("the profile keeps %s of files, and its quota is %s",
			app.ApproxSize(stored), app.FormatSize(f.cfg.Quota)),
			"Delete files with DELETE /files/{id}: within an hour they count no more. Artifacts end by themselves.")
	}
	return err
}

// List returns the newest files of a profile, at most app.MaxListedFiles.
func (f *Files) List(ctx context.Context, profileHandle string) (list []app.File, err error) {
	err = f.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.Files.List(ctx, profileHandle, f.cfg.Now())
		return err
	})
	return list, err
}

// Delete ends a file of a profile. Executions that were given it still get it, and it counts until
// Collect. CodeNotFound if there is none.
func (f *Files) Delete(ctx context.Context, profileHandle, id string) error {
	return f.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.Files.End(ctx, profileHandle, id, f.cfg.Now())
	})
}

// Resolve finds the files of an execution by the script's names. Together they may have
// app.MaxFileBytes, and no more than room. Errors: CodeInvalidField for names, CodeFileNotFound for
// another profile's or an expired file, CodeTooLarge.
func (f *Files) Resolve(ctx context.Context, profileHandle string, named map[string]string,
	room int64) (list []store.InputFile, err error) {
	if len(named) == 0 {
		return nil, nil
	}
	if err := checkNames(named); err != nil {
		return nil, err
	}
	err = f.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		for name, id := range named {
			file, err := tx.Files.Get(ctx, profileHandle, id, f.cfg.Now())
			if app.CodeOf(err) == app.CodeNotFound {
				return f.errNoFile(name)
			}
			if err != nil {
				return err
			}
			list = append(list, store.InputFile{Blob: file.Blob, InputFile: app.InputFile{
				Name: name, FileID: id, Size: file.Size, SHA256: file.SHA256, Kept: true}})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, CheckTotal(list, room)
}

// CheckTotal refuses too many or too large files for an execution. Together they may have
// app.MaxFileBytes or room. Errors: CodeTooLarge, CodeInvalidField.
func CheckTotal(list []store.InputFile, room int64) error {
	if len(list) > app.MaxFiles {
		return app.Invalid("files", fmt.Sprintf("there are more than %d files", app.MaxFiles), "Give fewer.")
	}
	total := int64(0)
	for _, file := range list {
		total += file.Size
	}
	most := min(room, app.MaxFileBytes)
	if total <= most {
		return nil
	}
	e := app.E(app.CodeTooLarge, fmt.Sprintf("the files have %s together, and a script gets at most %s",
		app.ApproxSize(total), app.FormatSize(most)), "Give it fewer or smaller ones.")
	e.Field = "files"
	return e
}

func checkNames(named map[string]string) error {
	if len(named) > app.MaxFiles {
		return app.Invalid("files", fmt.Sprintf("there are more than %d files", app.MaxFiles), "Give fewer.")
	}
	folded := map[string]string{}
	for name, id := range named {
		if err := CheckName("files", name); err != nil {
			return err
		}
		if other, twin := folded[FoldName(name)]; twin {
			return app.Invalid("files", fmt.Sprintf("the names %q and %q differ in case only", min(name, other),
				max(name, other)), "Name them differently.")
		}
		folded[FoldName(name)] = name
		if !app.IsFileID(id) {
			return app.Invalid("files", fmt.Sprintf("%q is not a file's id", app.Clip(id, 40)),
				`Send {"files": {"orders.csv": "file_…"}} with the file_id that POST /files returned.`)
		}
	}
	return nil
}

// errNoFile refuses a missing or foreign file. The error is the same, so it reveals no other
// profile's files.
func (f *Files) errNoFile(name string) error {
	e := app.E(app.CodeFileNotFound, fmt.Sprintf("there is no such file for %q", name),
		fmt.Sprintf("Files belong to the profile that sent them. One that no script used ends a day after its upload, "+
			"others %s after their last use. Send it again with POST /files.",
			app.Count(int(f.cfg.Retention/(24*time.Hour)), "day")))
	e.Field = "files"
	return e
}

// Retention is how long artifacts stay, and files after their last use.
func (f *Files) Retention() time.Duration { return f.cfg.Retention }

// Open reads a content. The caller closes it. Reading fails if the blob was changed or truncated.
func (f *Files) Open(ctx context.Context, id int64) (io.ReadCloser, error) {
	var blob store.Blob
	err := f.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		blob, err = tx.Blobs.Get(ctx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f.open(ctx, blob)
}

// OpenIn is Open in the caller's transaction.
func (f *Files) OpenIn(ctx context.Context, tx *store.Tx, id int64) (io.ReadCloser, error) {
	blob, err := tx.Blobs.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return f.open(ctx, blob)
}

// Signature signs the link to an artifact until a time in whole seconds.
func (f *Files) Signature(executionHandle, name string, until time.Time) string {
	text := fmt.Sprintf("artifact:%s:%d:%s", executionHandle, until.Unix(), name)
	return hex.EncodeToString(f.cfg.Keyring.Lookup(secrets.Blobs, text))
}

// linkLife is how long the link to an artifact is good.
const linkLife = time.Hour

// Link returns an artifact's signed path, valid for linkLife. It names the execution by its handle,
// since the id is a token.
func (f *Files) Link(executionHandle, name string) string {
	until := f.cfg.Now().Add(linkLife)
	query := url.Values{"expires": {strconv.FormatInt(until.Unix(), 10)},
		"signature": {f.Signature(executionHandle, name, until)}}
	return "/executions/" + executionHandle + "/artifacts/" + url.PathEscape(name) + "?" + query.Encode()
}

// IsSigned reports whether a signature is that of a link.
func (f *Files) IsSigned(signature, executionHandle, name string, until time.Time) bool {
	return subtle.ConstantTimeCompare([]byte(signature), []byte(f.Signature(executionHandle, name, until))) == 1
}
