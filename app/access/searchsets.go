package access

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

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// minSearched is how many characters a value has at least, without the white space around it, that is searched for outside of its own profiles. A script
// that guesses shorter ones would see by what is masked which of them exist.
const minSearched = 16

const (
	maxFound = 4096 // places and lists of hosts whose sets are remembered
	maxSeen  = 100  // values from Vault that are remembered of one credential
)

// SearchSets know which values the hosts of this instance may show: of every credential whose hosts match, whichever profile runs, the
// present value and those that were superseded, and of values in Vault those that were read since the program started. Plain ones and
// those shorter than minSearched are left out.
//
// Sets are made when a host first asks for them and kept until a credential changes, by whichever process. It is safe for concurrent use.
type SearchSets struct {
	store   *store.Store
	keyring *secrets.Keyring

	mu      sync.Mutex
	changes int64 // of the store, as of members; -1: none were read
	members []member
	seen    map[string][]seenValue // from Vault, by credential, oldest first
	sighted int64                  // values that were ever seen
	found   map[string]found       // by place or list of hosts
	sets    map[string]*searchSet  // by their members
	older   map[string]*searchSet  // sets before the last change, as far as nobody asked for them since
}

// member is a value that belongs to hosts, or did.
type member struct {
	store.Belonging
	seen *seenValue // nil if the store has it
}

// seenValue is a value that was read from Vault.
type seenValue struct {
	number int64 // no two have the same
	secret app.Secret
	mode   app.Mode
	hosts  []app.Host // of the credential when it was read
}

// found is what belongs to a place or to any of a list of hosts.
type found struct {
	set    *searchSet
	sealed bool // a sealed credential is among it
}

// searchSet is some values in the forms in which they are searched for.
type searchSet struct {
	known  []redact.Value
	values *swap.Values
}

func newSearchSets(st *store.Store, ring *secrets.Keyring) *SearchSets {
	return &SearchSets{store: st, keyring: ring, changes: -1, seen: map[string][]seenValue{}, found: map[string]found{}, sets: map[string]*searchSet{}}
}

// Known returns the values that answers from a canonical host and port are searched for. It is nil where no sealed credential belongs.
func (s *SearchSets) Known(ctx context.Context, host string, port int) (*swap.Values, error) {
	f, err := s.find(ctx, "place "+net.JoinHostPort(host, strconv.Itoa(port)), func(h app.Host) bool { return h.Matches(host, port) })
	if err != nil || !f.sealed {
		return nil, err
	}
	return f.set.values, nil
}

// Others returns the values that any of the hosts may show, to be taken out of output. It is nil if there are none besides the execution's own, and
// the same list until a credential changes; callers don't write to it.
func (s *SearchSets) Others(ctx context.Context, hosts []app.Host, own []redact.Value) ([]redact.Value, error) {
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
	isOther := func(v redact.Value) bool {
		return !slices.ContainsFunc(own, func(o redact.Value) bool { return o.Secret.Equal(v.Secret) })
	}
	if err != nil || !slices.ContainsFunc(f.set.known, isOther) {
		return nil, err
	}
	return f.set.known, nil
}

// saw remembers a value that was read from Vault, for as long as the program runs.
func (s *SearchSets) saw(c app.Credential, value app.Secret) {
	if c.Mode == app.ModePlain || len(c.Hosts) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.seen[c.ID]
	for _, v := range list {
		if v.secret.Equal(value) && v.mode == c.Mode && sameHosts(v.hosts, c.Hosts) {
			return
		}
	}
	s.sighted++
	list = append(list, seenValue{number: s.sighted, secret: value, mode: c.Mode, hosts: c.Hosts})
	s.seen[c.ID] = list[max(len(list)-maxSeen, 0):]
	s.changes = -1
}

// find returns what belongs to hosts, as the store has it now.
func (s *SearchSets) find(ctx context.Context, key string, belongs func(app.Host) bool) (found, error) {
	changes, err := s.store.ValueChanges(ctx)
	if err != nil {
		return found{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.found[key]; ok && changes <= s.changes {
		return f, nil
	}
	var f found
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		if err := s.refreshLocked(ctx, tx); err != nil {
			return err
		}
		f, err = s.collectLocked(ctx, tx, belongs)
		return err
	})
	if err != nil {
		return found{}, fmt.Errorf("access: values to search for: %w", err)
	}
	if len(s.found) >= maxFound {
		clear(s.found)
	}
	s.found[key] = f
	return f, nil
}

// refreshLocked reads what belongs where, if that changed.
func (s *SearchSets) refreshLocked(ctx context.Context, tx *store.Tx) error {
	changes, err := tx.ValueChanges(ctx)
	if err != nil || changes == s.changes {
		return err
	}
	belongings, err := tx.Belongings(ctx)
	if err != nil {
		return err
	}
	s.members = make([]member, 0, len(belongings))
	here := map[string][]seenValue{}
	for _, b := range belongings {
		s.members = append(s.members, member{Belonging: b})
		if list := s.seen[b.CredentialID]; len(list) > 0 && here[b.CredentialID] == nil {
			here[b.CredentialID] = list
			for i := range list {
				s.members = append(s.members, member{store.Belonging{CredentialID: b.CredentialID, Credential: b.Credential, Mode: list[i].mode, Hosts: list[i].hosts}, &list[i]})
			}
		}
	}
	s.seen = here // those of credentials that were deleted are forgotten
	s.older, s.sets = s.sets, map[string]*searchSet{}
	clear(s.found)
	s.changes = changes
	return nil
}

// collectLocked returns what belongs to hosts of the members. Nothing else is opened.
func (s *SearchSets) collectLocked(ctx context.Context, tx *store.Tx, belongs func(app.Host) bool) (found, error) {
	var f found
	var list []member
	var key strings.Builder
	for _, m := range s.members {
		if !slices.ContainsFunc(m.Hosts, belongs) {
			continue
		}
		here := m.Version > 0 || m.seen != nil
		f.sealed = f.sealed || m.Mode == app.ModeSealed && (here || m.Source == app.SourceVault)
		if here {
			list = append(list, m)
			key.WriteString(m.key())
		}
	}
	set, ok := s.sets[key.String()]
	if !ok {
		set, ok = s.older[key.String()]
	}
	if !ok {
		var err error
		if set, err = s.open(ctx, tx, list); err != nil {
			return f, err
		}
	}
	s.sets[key.String()] = set
	f.set = set
	return f, nil
}

// key names the value of a member.
func (m member) key() string {
	if m.seen != nil {
		return fmt.Sprintf("vault:%d ", m.seen.number)
	}
	return fmt.Sprintf("%s:%d ", m.CredentialID, m.Version)
}

// open makes a set of the values of members.
func (s *SearchSets) open(ctx context.Context, tx *store.Tx, list []member) (*searchSet, error) {
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
	present, err := tx.Values(ctx, ids)
	if err != nil {
		return nil, err
	}
	superseded, err := tx.SupersededTokens(ctx, rows)
	if err != nil {
		return nil, err
	}
	var known []redact.Value
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
			known = append(known, redact.Value{Name: m.Credential, Secret: value, Unheld: true, Anonymous: true})
		}
	}
	return newSearchSet(known), nil
}

// value opens the value of a member. What is damaged, so that no key opens it, is empty: it can't be searched for, and
// must not keep everybody from its hosts.
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

func newSearchSet(known []redact.Value) *searchSet {
	secrets := make([]app.Secret, len(known))
	for i, v := range known {
		secrets[i] = v.Secret
	}
	return &searchSet{known, swap.NewValues(secrets)}
}
