package credentials

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sync/singleflight"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// minSearched is the shortest value searched for outside its profiles, in trimmed characters.
// Masking shorter ones would confirm a script's guesses.
const minSearched = 16

// maxFound bounds how many places and lists of hosts are remembered with their sets.
const maxFound = 4096

// SearchSets lists the values to search for in a host's answers.
//
// These are the present, superseded and read Vault values of every credential whose hosts match, in
// any profile. Plain values and those shorter than minSearched are left out.
//
// Sets are made on a host's first request and kept until any process changes a credential. It is
// safe for concurrent use: each set is made once at a time, and others don't wait.
type SearchSets struct {
	store   *store.Store
	keyring *secrets.Keyring
	vault   *vaultMemory
	making  singleflight.Group

	mu    sync.Mutex
	index *index
	found map[string]found      // by place or list of hosts
	sets  map[string]*searchSet // by their members
	older map[string]*searchSet // sets before the last change, as far as nobody asked for them since
}

// state is a version of what belongs to hosts.
type state struct {
	changes   int64 // of the store
	sightings int64 // in Vault
}

func (s state) isAsNewAs(other state) bool {
	return s.changes >= other.changes && s.sightings >= other.sightings
}

// index maps values to hosts. It is immutable.
type index struct {
	state
	stored  []store.Belonging
	members []member
}

// member is a value that belongs to hosts, or did.
type member struct {
	store.Belonging
	seen *vaultValue // nil if the store has it
}

// found is what belongs to a place or to any of several hosts.
type found struct {
	state
	set    *searchSet
	sealed bool // a sealed credential is among it
}

// searchSet holds values in their searchable forms.
type searchSet struct {
	known  []secrets.Resolved
	values *swap.Values
}

func newSearchSets(st *store.Store, ring *secrets.Keyring, vault *vaultMemory) *SearchSets {
	return &SearchSets{store: st, keyring: ring, vault: vault, index: &index{state: state{changes: -1}},
		found: map[string]found{}, sets: map[string]*searchSet{}}
}

// ValuesFor returns the values to search for in a host's answers. Host is canonical. It is nil
// where no sealed credential belongs.
func (s *SearchSets) ValuesFor(ctx context.Context, host string, port int) (*swap.Values, error) {
	f, err := s.find(ctx, "place "+net.JoinHostPort(host, strconv.Itoa(port)),
		func(h app.Host) bool { return h.Matches(host, port) })
	if err != nil || !f.sealed {
		return nil, err
	}
	return f.set.values, nil
}

// Others returns the values of others to mask in an execution's output. hosts are those it reached.
// nil: there are none.
//
// The list stays the same until a credential changes; callers must not write to it.
func (s *SearchSets) Others(ctx context.Context, hosts []app.Host, own []secrets.Resolved) ([]secrets.Resolved, error) {
	if len(hosts) == 0 {
		return nil, nil
	}
	var key strings.Builder
	for _, h := range hosts {
		key.WriteString(h.String() + " ")
	}
	f, err := s.find(ctx, "hosts "+key.String(), func(h app.Host) bool {
		return slices.ContainsFunc(hosts, func(o app.Host) bool { _, both := h.Overlap(o); return both })
	})
	isOther := func(v secrets.Resolved) bool {
		return !slices.ContainsFunc(own, func(o secrets.Resolved) bool { return o.Secret.Equal(v.Secret) })
	}
	if err != nil || !slices.ContainsFunc(f.set.known, isOther) {
		return nil, err
	}
	return f.set.known, nil
}

// find returns what belongs to hosts, according to the current store.
func (s *SearchSets) find(ctx context.Context, key string, belongs func(app.Host) bool) (found, error) {
	now, err := s.now(ctx)
	if err != nil {
		return found{}, err
	}
	s.mu.Lock()
	f, ok := s.found[key]
	s.mu.Unlock()
	if ok && f.isAsNewAs(now) {
		return f, nil
	}
	f, err = once(ctx, &s.making, key, now,
		func(ctx context.Context) (found, error) { return s.collect(ctx, key, belongs) })
	if err != nil {
		return found{}, fmt.Errorf("credentials: values to search for: %w", err)
	}
	return f, nil
}

func (s *SearchSets) now(ctx context.Context) (state, error) {
	sightings := s.vault.count()
	changes, err := s.store.ValueChanges(ctx)
	return state{changes, sightings}, err
}

// once makes a key's value as of a state or later, once at a time. Other callers wait until their
// context ends. They repeat a result that began too early.
func once[T interface{ isAsNewAs(state) bool }](ctx context.Context, making *singleflight.Group, key string, at state,
	makeOne func(context.Context) (T, error)) (T, error) {
	for {
		done := making.DoChan(key, func() (any, error) { return makeOne(context.WithoutCancel(ctx)) })
		select {
		case r := <-done:
			made, _ := r.Val.(T)
			if r.Err != nil || made.isAsNewAs(at) {
				return made, r.Err
			}
		case <-ctx.Done():
			var none T
			return none, ctx.Err()
		}
	}
}

// current returns the up-to-date index.
func (s *SearchSets) current(ctx context.Context) (*index, error) {
	now, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	last := s.index
	s.mu.Unlock()
	if last.isAsNewAs(now) {
		return last, nil
	}
	return once(ctx, &s.making, "index", now, s.refresh)
}

// refresh reads what changed about values and their hosts. Vault values join without a look into
// the store.
func (s *SearchSets) refresh(ctx context.Context) (*index, error) {
	s.mu.Lock()
	last := s.index
	s.mu.Unlock()
	next := &index{}
	err := s.store.Read(ctx, func(tx *store.Tx) (err error) {
		if next.changes, err = tx.Values.Changes(ctx); err == nil && next.changes != last.changes {
			next.stored, err = tx.Values.Belongings(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if next.changes == last.changes {
		next.stored = last.stored
	} else {
		s.vault.forget(last.stored, next.stored)
	}
	next.members, next.sightings = s.vault.join(next.stored)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index = next
	s.older, s.sets = s.sets, map[string]*searchSet{}
	clear(s.found)
	return next, nil
}

// collect finds and opens only the values that belong to hosts.
func (s *SearchSets) collect(ctx context.Context, key string, belongs func(app.Host) bool) (found, error) {
	for {
		in, err := s.current(ctx)
		if err != nil {
			return found{}, err
		}
		f := found{state: in.state}
		var list []member
		var name strings.Builder
		for _, m := range in.members {
			if !slices.ContainsFunc(m.Hosts, belongs) {
				continue
			}
			here := m.Version > 0 || m.seen != nil
			f.sealed = f.sealed || m.Mode == app.ModeSealed && (here || m.Source == app.SourceVault)
			if here {
				list = append(list, m)
				name.WriteString(m.key())
			}
		}
		if f.set = s.findCached(name.String()); f.set == nil {
			f.set, err = s.open(ctx, in, list)
			if errors.Is(err, errChanged) {
				continue
			}
			if err != nil {
				return found{}, err
			}
		}
		s.keep(key, name.String(), f)
		return f, nil
	}
}

// findCached returns the existing set of members, or nil.
func (s *SearchSets) findCached(members string) *searchSet {
	s.mu.Lock()
	defer s.mu.Unlock()
	if set := s.sets[members]; set != nil {
		return set
	}
	return s.older[members]
}

func (s *SearchSets) keep(key, members string, f found) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.found) >= maxFound {
		clear(s.found)
	}
	s.found[key] = f
	s.sets[members] = f.set
}

// key names the value of a member.
func (m member) key() string {
	if m.seen != nil {
		return fmt.Sprintf("vault:%d ", m.seen.number)
	}
	return fmt.Sprintf("stored:%x ", m.Digest)
}

// errChanged says that the store changed since the index was read.
var errChanged = errors.New("credentials: values changed meanwhile")

// open makes a set of an index's members. Values gone from the store are errChanged.
func (s *SearchSets) open(ctx context.Context, in *index, list []member) (*searchSet, error) {
	var ids []string
	var rows []int64
	for _, m := range list {
		switch {
		case m.seen != nil:
		case m.Superseded != 0:
			rows = append(rows, m.Superseded)
		default:
			ids = append(ids, m.CredentialID)
		}
	}
	var present map[string]store.Value
	var superseded map[int64][]byte
	err := s.store.Read(ctx, func(tx *store.Tx) error {
		changes, err := tx.Values.Changes(ctx)
		if err == nil && changes != in.changes {
			return errChanged
		}
		if err == nil {
			present, err = tx.Values.Current(ctx, ids)
		}
		if err == nil {
			superseded, err = tx.Values.SupersededTokens(ctx, rows)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var known []secrets.Resolved
	have := map[string]bool{}
	for _, m := range list {
		token := present[m.CredentialID].Sealed
		if m.Superseded != 0 {
			token = superseded[m.Superseded]
		}
		value, err := s.value(m, token)
		if err != nil {
			return nil, err
		}
		if text := value.Reveal(); utf8.RuneCountInString(strings.TrimSpace(text)) >= minSearched && !have[text] {
			have[text] = true
			known = append(known, secrets.Resolved{Key: m.Credential, Secret: value, Held: secrets.ByHosts})
		}
	}
	return newSearchSet(known), nil
}

// value opens a member's value. A damaged one is empty: it can't be searched for, and must not
// block its hosts.
func (s *SearchSets) value(m member, token []byte) (app.Secret, error) {
	if m.seen != nil {
		return m.seen.secret, nil
	}
	plain, err := s.keyring.Open(secrets.Values, secrets.ValueRow(m.CredentialID, m.Version), token)
	if errors.Is(err, secrets.ErrOpen) && !errors.Is(err, secrets.ErrUnknownKey) {
		return app.Secret{}, nil
	}
	if err != nil {
		return app.Secret{}, fmt.Errorf("value of credential %s: %w", m.Credential, err)
	}
	return app.NewSecret(string(plain)), nil
}

func newSearchSet(known []secrets.Resolved) *searchSet {
	secrets := make([]app.Secret, len(known))
	for i, v := range known {
		secrets[i] = v.Secret
	}
	return &searchSet{known, swap.NewValues(secrets)}
}
