// Package names answers the DNS questions of a test, so that a name can have any
// address, several, or another one each time.
package names

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// Server is a DNS server on loopback. It is safe for concurrent use.
type Server struct {
	conn net.PacketConn
	done chan struct{}

	before *net.Resolver // of the process

	mu      sync.Mutex // guards the fields below
	answers map[string][][]netip.Addr
	asked   map[string]int
}

// Start starts a server and makes it the resolver of the process until Close.
func Start() (*Server, error) {
	conn, err := new(net.ListenConfig).ListenPacket(context.Background(), "udp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{conn: conn, done: make(chan struct{}), answers: map[string][][]netip.Addr{}, asked: map[string]int{}}
	go s.serve() // ends with the connection; Close waits for it
	s.before = net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	return s, nil
}

// Close stops the server and restores the resolver of the process.
func (s *Server) Close() error {
	net.DefaultResolver = s.before
	err := s.conn.Close()
	<-s.done
	return err
}

// Set makes a name have these addresses. Of several sets, each look-up gets the next
// one, and the last one stays. A name without a set does not exist.
func (s *Server) Set(name string, sets ...[]netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[name+"."] = sets
}

func (s *Server) serve() {
	defer close(s.done)
	buffer := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if reply, err := s.reply(buffer[:n]); err == nil {
			_, _ = s.conn.WriteTo(reply, from)
		}
	}
}

func (s *Server) reply(query []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) != 1 {
		return nil, errors.Join(err, errors.New("names: not one question"))
	}
	question := m.Questions[0]
	m.Response, m.Additionals = true, nil
	addresses, known := s.next(question)
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, a := range addresses {
		header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class}
		switch {
		case question.Type == dnsmessage.TypeA && a.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: a.As4()}})
		case question.Type == dnsmessage.TypeAAAA && !a.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	return m.Pack()
}

// next returns the addresses for a question. The two questions of one look-up, for
// either kind of address, get the same set.
func (s *Server) next(question dnsmessage.Question) ([]netip.Addr, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := question.Name.String()
	sets, known := s.answers[name]
	if len(sets) == 0 {
		return nil, known
	}
	key := name + question.Type.String()
	at := min(s.asked[key], len(sets)-1)
	s.asked[key]++
	return slices.Clone(sets[at]), true
}
