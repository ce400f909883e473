package proof

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/backups"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/web"
	"github.com/computclaw/airlock/store"
)

// plan is a database with one person and one locked profile, from which instances are made: a password
// costs too much to be set for each.
type plan struct {
	database []byte
	cookie   string
	profile  string // handle
	bearer   string // its id
}

// instance is an Airlock without boxes: a store, both faces and a log, in files of its own.
type instance struct {
	plan
	dir     string
	log     *os.File
	store   *store.Store
	keyring *secrets.Keyring
	access  *access.Parts
	moves   *transfer.Service
	pages   http.Handler
}

const (
	logFile = "airlock.log"
	token   = "atk_0123456789abcdefghjkmnpqrstvwx"
	address = "192.0.2.1"
)

// newPlan makes one in dir.
func newPlan(ctx context.Context, dir string) (plan, error) {
	h, err := openInstance(ctx, plan{}, dir)
	if err != nil {
		return plan{}, err
	}
	if err := errors.Join(h.found(ctx), h.Close()); err != nil {
		return plan{}, err
	}
	h.database, err = os.ReadFile(filepath.Join(dir, store.FileName))
	return h.plan, err
}

// found lets a person in and has a profile locked.
func (h *instance) found(ctx context.Context) error {
	if _, err := h.access.AdminToken.Ensure(ctx, app.NewSecret(token)); err != nil {
		return err
	}
	half, err := h.access.Enrollment.Enroll(ctx, address, "", app.NewSecret(token))
	if err != nil {
		return err
	}
	session, err := h.access.Enrollment.Join(ctx, half.Token, address, "", "Ada", app.NewSecret("plum orbit tractor"))
	if err != nil {
		return err
	}
	person := app.Actor{Kind: app.ActorPerson, Name: "Ada"}
	p, err := h.access.Profiles.Create(ctx, person, "proof")
	if err != nil {
		return err
	}
	if p, err = h.access.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}); err != nil {
		return err
	}
	h.cookie, h.profile, h.bearer = session.Token.Reveal(), p.Handle, p.ID
	return nil
}

// openInstance opens one in a directory that is empty or was left by another instance of the plan.
func openInstance(ctx context.Context, p plan, dir string) (*instance, error) {
	h := &instance{plan: p, dir: dir}
	if p.database != nil {
		if err := os.WriteFile(filepath.Join(dir, store.FileName), p.database, 0o600); err != nil {
			return nil, err
		}
	}
	var err error
	if h.log, err = os.Create(filepath.Join(dir, logFile)); err != nil {
		return nil, err
	}
	log := slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if h.store, err = store.Open(ctx, dir, log); err != nil {
		return nil, errors.Join(err, h.log.Close())
	}
	if h.keyring, err = secrets.NewKeyring(app.NewSecret("0123456789abcdef0123456789abcdef-proof")); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	contents := filepath.Join(dir, files.Dir)
	if err := os.MkdirAll(contents, 0o700); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	storage, err := blobs.OpenDir(contents)
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	hub := &live.Hub{}
	h.access = access.New(access.Config{Store: h.store, Keyring: h.keyring, Hub: hub})
	motor := engine.New(engine.Config{Store: h.store, Access: h.access, Keyring: h.keyring, Hub: hub, Log: log,
		Gateway: egress.New(egress.Config{}),
		Files:   files.New(files.Config{Store: h.store, Keyring: h.keyring, Storage: storage, Dir: contents})})
	h.moves = transfer.New(transfer.Config{Store: h.store, Keyring: h.keyring, Hub: hub, Log: log, Dir: dir})
	h.pages = web.New(web.Config{Access: h.access, Engine: motor, Transfer: h.moves, Hub: hub, Log: log,
		Backups: backups.New(backups.Config{Store: h.store, Keyring: h.keyring, Transfer: h.moves, Hub: hub, Dir: dir}),
		Version: "proof"}).Handler()
	return h, nil
}

func (h *instance) Close() error {
	if h.moves != nil {
		h.moves.Close()
	}
	return errors.Join(h.store.Close(), h.log.Close())
}

// entry is a case in an instance.
type entry struct {
	number int
	attempt
	shown
}

// execution is one that has cases in it, each in a place of its own: they were looked at apart, and
// are only kept and shown together.
type execution struct {
	entries              map[string][]entry // by channel; all that are JSON under "result"
	handle, id, question string
}

// resultsEach is how many results an execution has, as one list: nearly half of all cases are
// results.
const resultsEach = 4

// together puts entries into as few executions as there may be. Those with a question don't end, so
// they have no output.
func together(entries []entry) (list []*execution) {
	ended, asking, count := []*execution{}, []*execution{}, map[string]int{}
	for _, e := range entries {
		channel, of, each := e.Channel, &ended, 1
		switch {
		case e.isJSON():
			channel, each = "result", resultsEach
		case channel == "prompt" || channel == "script":
			of = &asking
		}
		n := count[channel] / each
		count[channel]++
		if n == len(*of) {
			*of = append(*of, &execution{map[string][]entry{}, app.NewID(), app.NewExecutionID(), app.NewID()})
		}
		(*of)[n].entries[channel] = append((*of)[n].entries[channel], e)
	}
	return append(ended, asking...)
}

// the is the entry of a channel, or nothing.
func (x *execution) the(channel string) (e entry) {
	for _, e = range x.entries[channel] {
		break
	}
	return e
}

func (x *execution) all() []entry { return slices.Concat(slices.Collect(maps.Values(x.entries))...) }

// result is the list of all results; nil if there are none.
func (x *execution) result() *redact.Clean {
	var texts []string
	for _, e := range x.entries["result"] {
		texts = append(texts, e.Result.String())
	}
	if texts == nil {
		return nil
	}
	clean, _ := redact.New(nil).Text("[" + strings.Join(texts, ",") + "]") // it knows nothing, so it masks nothing
	return &clean
}

// keep stores executions as the engine does, in one transaction: a commit each would only prove the
// disk.
func (h *instance) keep(ctx context.Context, list []*execution) error {
	return h.store.Write(ctx, func(tx *store.Tx) error {
		for _, x := range list {
			if err := h.run(ctx, tx, x); err != nil {
				return err
			}
		}
		return nil
	})
}

func (h *instance) run(ctx context.Context, tx *store.Tx, x *execution) error {
	now := time.Now()
	if _, err := tx.Queue.Add(ctx, h.pending(x, now)); err != nil {
		return err
	}
	if _, _, err := tx.Queue.Claim(ctx, "proof", "", now); err != nil {
		return err
	}
	if x.entries["prompt"] != nil {
		return tx.Questions.Ask(ctx, x.handle,
			store.Question{RequestID: x.question, Ordinal: 1, Prompt: x.the("prompt").Prompt, At: now})
	}
	_, err := tx.Executions.Finish(ctx, x.handle, x.end(now))
	return err
}

// pending is the execution as it was submitted: its script has the secrets of all cases, sealed.
func (h *instance) pending(x *execution, at time.Time) store.NewExecution {
	script := ""
	for _, e := range x.all() {
		script += e.attempt.Text + "\n"
	}
	return store.NewExecution{
		Handle: x.handle, ProfileHandle: h.profile, Timeout: time.Minute, By: app.Actor{Kind: app.ActorAgent}, At: at,
		Shown:    store.Shown{Script: x.the("script").Script},
		Lookup:   h.keyring.Lookup(secrets.Execs, x.id),
		SealedID: h.keyring.Seal(secrets.Execs, secrets.ExecutionRow(x.handle), []byte(x.id)),
		Script:   h.keyring.Seal(secrets.Scripts, secrets.ScriptRow(x.handle), []byte(script)),
	}
}

func (x *execution) end(at time.Time) store.Finish {
	end := store.Finish{
		Status: app.StatusCompleted, StartedAt: at, At: at, Masked: map[string]redact.Hits{},
		Stdout: x.the("stdout").Stdout, Stderr: x.the("stderr").Stderr, Error: x.the("error").Error, Result: x.result(),
	}
	for _, e := range x.all() {
		for channel, hits := range e.Hits {
			end.Masked[channel] = end.Masked[channel].Plus(hits)
		}
	}
	if x.entries["error"] != nil {
		end.Status = app.StatusError
	}
	for _, e := range x.entries["path"] {
		end.Network = append(end.Network, store.Connection{
			Connection: app.Connection{Port: 443, Verdict: app.VerdictAllowed, StartedAt: at, Count: 1},
			Host:       e.Network[0], Rule: e.Network[1], Method: e.Network[2], Path: e.Network[3],
		})
	}
	return end
}

// get calls the handler itself: a connection would add nothing.
func (h *instance) get(ctx context.Context, path string) (string, error) {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	r.RemoteAddr = address + ":5555"
	r.AddCookie(&http.Cookie{Name: "airlock_session", Value: h.cookie})
	r.Header.Set("Authorization", "Bearer "+h.bearer)
	w := httptest.NewRecorder()
	h.pages.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return "", fmt.Errorf("%s: status %d: %.300s", path, w.Code, w.Body)
	}
	return w.Body.String(), nil
}

// files are what is on the disk while the instance is open: the database with its write-ahead log, and
// the log.
func (h *instance) files() ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(h.dir, "*"))
	return slices.DeleteFunc(paths, func(path string) bool { return filepath.Base(path) == files.Dir }), err // empty
}

// settle moves what is in the write-ahead log into the database's own pages, as SQLite does by
// itself now and then.
func (h *instance) settle(ctx context.Context) error {
	other, err := store.Open(ctx, h.dir, nil)
	if err != nil {
		return err
	}
	return errors.Join(h.store.Close(), other.Close())
}
