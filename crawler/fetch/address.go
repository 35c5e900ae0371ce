package fetch

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
)

const (
	lookupTimeout = 5 * time.Second
	manyAddresses = 10_000 // beyond it, those that are free are forgotten
)

// addresses paces the requests to each IP address, since a server may have many
// names. Hosts that wait for one address have a time each, in the order in which
// they came. It is safe for concurrent use.
type addresses struct {
	delay time.Duration // from the start of one request to the start of the next; 0: none

	mu     sync.Mutex
	hosts  map[string]netip.Addr // as connected to or looked up last
	paces  map[netip.Addr]*addressPace
	booked map[string]time.Time // by host
}

type addressPace struct {
	sent time.Time // the last request
	tail time.Time // the first time that is not booked
}

func newAddresses(delay time.Duration) *addresses {
	return &addresses{delay: max(delay, 0), hosts: map[string]netip.Addr{}, paces: map[netip.Addr]*addressPace{}, booked: map[string]time.Time{}}
}

// of returns the address of a host. It is looked up when there has been no
// connection yet; ok is false when it has none.
func (a *addresses) of(ctx context.Context, host string) (ip netip.Addr, ok bool) {
	a.mu.Lock()
	ip, ok = a.hosts[host]
	a.mu.Unlock()
	if ok {
		return ip, true
	}
	name := hostName(host)
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Unmap(), true
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", name)
	if err != nil || len(found) == 0 {
		return netip.Addr{}, false // the request will say why
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hosts[host] = found[0].Unmap()
	return a.hosts[host], true
}

// book returns when a host may send a request to its address, and keeps that time
// for it. The time is not before due. The caller holds mu.
func (a *addresses) book(host string, ip netip.Addr, due time.Time) time.Time {
	p := a.pace(ip, due)
	earliest := p.sent.Add(a.delay)
	at, ok := a.booked[host]
	if !ok {
		at = latest(due, p.tail, earliest)
		p.tail = at.Add(a.delay)
		a.booked[host] = at
	}
	return latest(at, earliest)
}

// claim begins a request of a host, or returns until when it has to wait.
func (a *addresses) claim(host string, ip netip.Addr, now time.Time) (until time.Time, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if until := a.book(host, ip, now); until.After(now) {
		return until, false
	}
	delete(a.booked, host)
	p := a.pace(ip, now)
	p.sent, p.tail = now, latest(p.tail, now.Add(a.delay))
	return now, true
}

// connected notes the address of a new connection of a host, which may be another
// one than was looked up.
func (a *addresses) connected(host string, remote net.Addr) {
	at, err := netip.ParseAddrPort(remote.String())
	if a.delay == 0 || err != nil {
		return
	}
	now, ip := time.Now(), at.Addr().Unmap()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hosts[host] != ip {
		a.hosts[host] = ip
		p := a.pace(ip, now)
		p.sent, p.tail = now, latest(p.tail, now.Add(a.delay))
	}
}

// bookedFor returns the time that is kept for a host, or the zero time.
func (a *addresses) bookedFor(host string) time.Time {
	if a.delay == 0 {
		return time.Time{}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.booked[host]
}

func (a *addresses) pace(ip netip.Addr, now time.Time) *addressPace {
	if p, ok := a.paces[ip]; ok {
		return p
	}
	if len(a.paces) >= manyAddresses {
		for other, p := range a.paces {
			if p.tail.Before(now) {
				delete(a.paces, other)
			}
		}
	}
	a.paces[ip] = &addressPace{}
	return a.paces[ip]
}

func latest(times ...time.Time) time.Time {
	var last time.Time
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// Book returns when the next request to the host of a canonical URL may start, as
// far as its IP address decides that, and keeps that time for the host: see
// Options.PerIPDelay. It is the zero time without such a delay.
func (c *Client) Book(ctx context.Context, canonical string) time.Time {
	a := c.pace.addresses
	if a.delay == 0 {
		return time.Time{}
	}
	host := frontier.HostOf(canonical)
	ip, ok := a.of(ctx, host)
	if !ok {
		return time.Time{}
	}
	due, _ := c.pace.next(host)
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.book(host, ip, latest(due, time.Now()))
}

// untilAddressIsDue waits until the address of a host is due.
func (p *pace) untilAddressIsDue(ctx context.Context, h *hostPace, address string) error {
	if p.addresses.delay == 0 {
		return nil
	}
	ip, ok := p.addresses.of(ctx, h.name)
	for ok {
		now := time.Now()
		until, free := p.addresses.claim(h.name, ip, now)
		if free {
			return ctx.Err()
		}
		w := &Wait{URL: address, Host: h.name, Since: now, Until: until, Why: WhyAddress}
		if until.Sub(now) > p.options.MaxWait {
			return &WaitError{*w}
		}
		if err := p.sleep(ctx, w, until.Sub(now)); err != nil {
			return err
		}
	}
	return ctx.Err()
}
