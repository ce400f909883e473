package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

const maxTried = 6

// minAttempt is the least time for one of several addresses.
const minAttempt = 2 * time.Second

type target struct {
	netip.AddrPort
	local   bool // the operator's own pair
	private bool // a person admitted private networks
}

// resolve returns the checked addresses of an allowed name, in dialling order.
func (g *Gateway) resolve(ctx context.Context, entry app.Host, name string, port int) ([]target, error) {
	if pair, ok := g.local[rules.Place(app.Connection{Host: name, Port: port})]; ok {
		return g.checkTargets(target{AddrPort: pair, local: true})
	}
	addresses, err := g.addresses(ctx, name)
	var d *denial
	if errors.As(err, &d) && d.rule == rules.Unresolved && g.isLocalName(name) {
		return nil, newDenial(rules.ServicePort, err)
	}
	if err != nil {
		return nil, err
	}
	targets := make([]target, len(addresses))
	for i, a := range addresses {
		targets[i] = target{AddrPort: netip.AddrPortFrom(a.Unmap(), uint16(port)), private: entry.Private}
	}
	return g.checkTargets(targets...)
}

func (g *Gateway) isLocalName(name string) bool {
	for where := range g.local {
		if host, _, err := net.SplitHostPort(where); err == nil && host == name {
			return true
		}
	}
	return false
}

func (g *Gateway) addresses(ctx context.Context, name string) ([]netip.Addr, error) {
	if literal, err := netip.ParseAddr(name); err == nil {
		return []netip.Addr{literal}, nil
	}
	list, err := g.lookup(ctx, name)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, newDenial(rules.Unresolved, err)
	case len(list) == 0:
		return nil, newDenial(rules.Unresolved, errors.New("empty answer"))
	}
	return list, nil
}

// checkTargets returns the targets if all of them may be dialled.
func (g *Gateway) checkTargets(targets ...target) ([]target, error) {
	for _, t := range targets {
		if err := g.check(t); err != nil {
			return nil, err
		}
	}
	return targets, nil
}

// check applies the address policy: to every address before dialling, then to the socket's own.
func (g *Gateway) check(t target) error {
	own, err := g.own.now()
	if err != nil {
		return newDenial(rules.ThisHost, fmt.Errorf("read this host's addresses: %w", err))
	}
	rule := rules.Classify(t.Addr(), own)
	if g.isListener(t.AddrPort, rule) {
		return newDenial(rules.Listener, nil)
	}
	switch {
	case rule == "", rule == rules.Private && (t.private || t.local):
		return nil
	case rule == rules.ThisHost && t.local && !t.Addr().IsUnspecified():
		return nil
	}
	return newDenial(rule, nil)
}

func (g *Gateway) isListener(a netip.AddrPort, rule string) bool {
	if !g.listener.IsValid() || a.Port() != g.listener.Port() {
		return false
	}
	if g.listener.Addr().IsUnspecified() {
		return rule == rules.ThisHost
	}
	return a.Addr() == g.listener.Addr()
}

func (g *Gateway) dialFirst(ctx context.Context, targets []target) (*net.TCPConn, target, error) {
	targets = targets[:min(len(targets), maxTried)]
	var last error
	for i, t := range targets {
		tcp, err := g.dial(ctx, t, len(targets)-i)
		if err == nil {
			return tcp, t, nil
		}
		last = err
		if ctx.Err() != nil || errors.As(err, new(*denial)) {
			break
		}
	}
	return nil, target{}, last
}

// dial connects to one address; left addresses share the remaining time.
func (g *Gateway) dial(ctx context.Context, t target, left int) (*net.TCPConn, error) {
	if deadline, ok := ctx.Deadline(); ok && left > 1 {
		share := max(time.Until(deadline)/time.Duration(left), minAttempt)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, share)
		defer cancel()
	}
	dialer := net.Dialer{
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return g.recheck(t, address)
		},
	}
	c, err := dialer.DialContext(ctx, "tcp", t.String())
	if err != nil {
		return nil, err
	}
	return c.(*net.TCPConn), nil
}

// recheck checks the address of a socket about to connect.
func (g *Gateway) recheck(t target, address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || unmap(at) != t.AddrPort {
		return newDenial(rules.Reserved, fmt.Errorf("the socket goes to %s instead of %s", address, t))
	}
	return g.check(t)
}

// lookupWith asks a resolver for both families. Names with a dot skip the search domains of
// resolv.conf: the name that was matched is the name that is asked.
func lookupWith(r *net.Resolver) func(context.Context, string) ([]netip.Addr, error) {
	return func(ctx context.Context, host string) ([]netip.Addr, error) {
		if strings.Contains(host, ".") {
			host += "."
		}
		return r.LookupNetIP(ctx, "ip", host)
	}
}

func failureOf(err error) string {
	var timeout net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return rules.Refused
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return rules.Timeout
	}
	return rules.Unreachable
}
