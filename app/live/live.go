// Package live carries nudges inside one process: "something about this topic changed".
//
// A nudge holds no data: a subscriber reads the store with its own rights.
package live

import "sync"

// Hub passes nudges from publishers to subscribers. The zero Hub is ready. It is safe for
// concurrent use and never blocks a publisher: pending nudges become one.
type Hub struct {
	mu   sync.Mutex
	subs map[*Subscription]struct{}
}

// Subscription receives nudges until it is closed.
type Subscription struct {
	hub    *Hub
	topics map[string]bool // nil: all
	c      chan struct{}
	mu     sync.Mutex
	seen   map[string]bool
}

// Subscribe subscribes to the topics, or to everything without any. Subscribe before you read the
// state, or you miss changes in between.
func (h *Hub) Subscribe(topics ...string) *Subscription {
	s := &Subscription{hub: h, c: make(chan struct{}, 1), seen: map[string]bool{}}
	if len(topics) > 0 {
		s.topics = make(map[string]bool, len(topics))
		for _, t := range topics {
			s.topics[t] = true
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subs == nil {
		h.subs = map[*Subscription]struct{}{}
	}
	h.subs[s] = struct{}{}
	return s
}

// Publish nudges everybody who subscribed to the topic.
func (h *Hub) Publish(topic string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		if s.topics == nil || s.topics[topic] {
			s.nudge(topic)
		}
	}
}

// PublishProfiles nudges subscribers to one of the profiles or to the whole list.
func (h *Hub) PublishProfiles(handles ...string) {
	for _, handle := range handles {
		h.Publish(Profile(handle))
	}
	if len(handles) > 0 {
		h.Publish(Profiles)
	}
}

// PublishExecutions nudges subscribers to one of the executions or to the whole list.
func (h *Hub) PublishExecutions(handles ...string) {
	for _, handle := range handles {
		h.Publish(Execution(handle))
	}
	h.Publish(Executions)
}

// C is readable after a nudge since the last call of Topics.
func (s *Subscription) C() <-chan struct{} { return s.c }

// Topics returns and forgets the nudged topics, unordered.
func (s *Subscription) Topics() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	topics := make([]string, 0, len(s.seen))
	for t := range s.seen {
		topics = append(topics, t)
	}
	clear(s.seen)
	return topics
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.subs, s)
}

// maxSeen bounds the topics of an idle subscriber; beyond it only the nudge arrives.
const maxSeen = 1024

func (s *Subscription) nudge(topic string) {
	s.mu.Lock()
	if len(s.seen) < maxSeen {
		s.seen[topic] = true
	}
	s.mu.Unlock()
	select {
	case s.c <- struct{}{}:
	default:
	}
}

// Topics. Handles are not secret, so topics may go to a logged-in browser.
const (
	Executions  = "executions"  // any execution changed
	Profiles    = "profiles"    // any profile changed
	Credentials = "credentials" // any credential changed
	Skills      = "skills"      // any skill changed
	Pause       = "pause"       // executions were paused or resumed
	Audit       = "audit"       // the audit log has a new event; people, sessions and settings have no other topic
	Sandbox     = "sandbox"     // a backend was proved, or came into use or went out of it
	Vault       = "vault"       // Vault began to fail, or works again
)

// Execution is the topic of one execution.
func Execution(handle string) string { return "execution/" + handle }

// Profile is the topic of one profile.
func Profile(handle string) string { return "profile/" + handle }
