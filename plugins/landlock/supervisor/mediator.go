package supervisor

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/fdlink"
)

// mediator answers the calls that the box's filter hands over, on its own thread with the box's
// uid.
type mediator struct {
	listener *listener
	tmp      string
	forks    *forkLimit
	callers  *callers
	pairs    socketPairs
}

// serve answers until nobody is left in the box.
func (m *mediator) serve() {
	for {
		n, err := m.listener.receive()
		if err != nil {
			return
		}
		if n.pid == 0 { // not in our pid namespace, so not to be looked at
			m.listener.answer(n, unix.EPERM)
			continue
		}
		switch n.nr {
		case unix.SYS_CONNECT:
			m.connect(n)
		case unix.SYS_CLONE, sysFork, sysVfork:
			m.fork(n)
		default:
			m.listener.answer(n, m.metadata(n))
		}
	}
}

// fork grants or refuses a process or thread. Requests of a frozen box wait.
func (m *mediator) fork(n notification) {
	switch m.forks.ask(n) {
	case granted:
		m.listener.proceed(n)
	case refused:
		m.listener.answer(n, unix.EAGAIN)
	case deferred:
	}
}

// connect decides by a copy of the address. It reads everything of the caller at once. The rest
// runs elsewhere, because the guest may need a thread, and so this one.
func (m *mediator) connect(n notification) {
	size := int(min(n.args[2], 128))
	raw, err := peek(n.pid, n.args[1], size)
	flags, ferr := socketFlags(n.pid, uint32(n.args[0]))
	switch {
	case !m.listener.valid(n):
	case err != nil:
		m.listener.answer(n, unix.EFAULT)
	case ferr != nil:
		m.listener.answer(n, errnoOf(ferr))
	default:
		to, errno := destination(raw)
		if errno != 0 {
			m.listener.answer(n, errno)
			return
		}
		go m.connectCaller(n, to, flags)
	}
}

// destination reads a socket address. Loopback is the box's own; nothing else exists.
func destination(raw []byte) (netip.AddrPort, unix.Errno) {
	if len(raw) < 2 {
		return netip.AddrPort{}, unix.EINVAL
	}
	var address netip.Addr
	switch family := binary.NativeEndian.Uint16(raw); {
	case family == unix.AF_INET && len(raw) >= unix.SizeofSockaddrInet4:
		address = netip.AddrFrom4([4]byte(raw[4:8]))
	case family == unix.AF_INET6 && len(raw) >= unix.SizeofSockaddrInet6-4: // the scope may be left out
		address = netip.AddrFrom16([16]byte(raw[8:24])).Unmap()
	case family == unix.AF_INET || family == unix.AF_INET6:
		return netip.AddrPort{}, unix.EINVAL
	case family == unix.AF_UNIX:
		return netip.AddrPort{}, unix.ECONNREFUSED // nobody in a box can listen
	default:
		return netip.AddrPort{}, unix.EAFNOSUPPORT
	}
	switch {
	case address.IsUnspecified(), address.IsLoopback() && address.Is6():
		return netip.AddrPort{}, unix.ECONNREFUSED
	case !address.IsLoopback():
		return netip.AddrPort{}, unix.ENETUNREACH
	}
	return netip.AddrPortFrom(address, binary.BigEndian.Uint16(raw[2:])), 0
}

// connectCaller makes a connection and gives one end to the guest, the other to the caller.
func (m *mediator) connectCaller(n notification, to netip.AddrPort, flags int) {
	if !m.callers.open() {
		m.listener.answer(n, unix.ECONNREFUSED)
		return
	}
	theirs, ours, err := m.pairs.pair()
	if err != nil {
		m.listener.answer(n, unix.ECONNREFUSED)
		return
	}
	defer unix.Close(theirs)
	errno := m.callers.offer(to, ours)
	unix.Close(ours)
	if errno != 0 {
		m.listener.answer(n, errno)
		return
	}
	if flags&unix.O_NONBLOCK != 0 {
		_ = unix.SetNonblock(theirs, true)
	}
	if err := m.listener.put(n, theirs, uint32(n.args[0]), flags&unix.O_CLOEXEC != 0); err != nil {
		m.listener.answer(n, unix.ECONNABORTED)
		return
	}
	m.listener.answer(n, 0)
}

// answerWithin bounds a guest's decision about a connection. A stopped guest never answers.
const answerWithin = 10 * time.Second

// callers are connections that the guest has been offered and didn't decide about yet.
type callers struct {
	link *fdlink.Link

	mu      sync.Mutex
	takes   bool // the guest said hello
	last    uint32
	waiting map[uint32]chan unix.Errno
}

func newCallers(l *fdlink.Link) *callers {
	return &callers{link: l, waiting: map[uint32]chan unix.Errno{}}
}

func (c *callers) open() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.takes
}

func (c *callers) hello() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.takes = true
}

// offer returns 0 if the guest takes the connection.
func (c *callers) offer(to netip.AddrPort, fd int) unix.Errno {
	verdict := make(chan unix.Errno, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.waiting[id] = verdict
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
	}()
	if c.link.SendFDs(Message{Kind: Connect, ID: id, To: to}, fd) != nil {
		return unix.ECONNREFUSED
	}
	select {
	case errno := <-verdict:
		return errno
	case <-time.After(answerWithin):
		return unix.ETIMEDOUT
	}
}

func (c *callers) decide(id uint32, errno unix.Errno) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if verdict, ok := c.waiting[id]; ok {
		verdict <- errno
		delete(c.waiting, id)
	}
}

func errnoOf(err error) unix.Errno {
	if errno := unix.Errno(0); errors.As(err, &errno) {
		return errno
	}
	return unix.EACCES
}
