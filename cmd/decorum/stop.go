package main

import (
	"context"
	"os"
	"sync"
	"syscall"
)

// stopper turns signals into stages of a stop: after the first, requests in flight
// are completed; the second drops them; the third ends the process. SIGUSR1 asks
// for progress.
type stopper struct {
	onStop func() // called once, at the first signal; nil without

	soft, hard context.Context //nolint:containedctx // a stopper makes these contexts
	shown      chan struct{}   // with one slot; asks to show progress now

	cancelSoft, cancelHard context.CancelFunc
	release                func() // stops catching signals
	done                   chan struct{}
	ended                  sync.WaitGroup

	mu   sync.Mutex
	code int // exit code of the first reason to stop; 0 without one
}

func newStopper(catch func() (<-chan os.Signal, func()), onStop func()) *stopper {
	s := &stopper{onStop: onStop, shown: make(chan struct{}, 1), done: make(chan struct{}), release: func() {}}
	var signals <-chan os.Signal
	if catch != nil {
		signals, s.release = catch()
	}
	s.hard, s.cancelHard = context.WithCancel(context.Background())
	s.soft, s.cancelSoft = context.WithCancel(s.hard)
	s.ended.Go(func() { s.listen(signals) })
	return s
}

func (s *stopper) listen(signals <-chan os.Signal) {
	stage := 0
	for {
		select {
		case <-s.done:
			return
		case got := <-signals:
			if got == syscall.SIGUSR1 {
				select {
				case s.shown <- struct{}{}:
				default:
				}
				continue
			}
			code := exitInterrupt
			if got == syscall.SIGTERM {
				code = exitTerminate
			}
			stage++
			s.advance(stage, code)
		}
	}
}

func (s *stopper) advance(stage, code int) {
	switch stage {
	case 1:
		s.setCode(code)
		if s.onStop != nil {
			s.onStop()
		}
		s.cancelSoft()
	case 2:
		s.cancelHard()
	default:
		exitNow(code)
	}
}

func (s *stopper) setCode(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.code == 0 {
		s.code = code
	}
}

// diskFull stops the crawl because too little disk space is free.
func (s *stopper) diskFull() {
	s.setCode(exitIO)
	s.cancelSoft()
}

// exitCode returns the exit code and true if something stopped the crawl.
func (s *stopper) exitCode() (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.code, s.code != 0
}

// end stops listening for signals.
func (s *stopper) end() {
	s.release()
	close(s.done)
	s.ended.Wait()
	s.cancelHard()
}

// interruptible calls do with a context that the first signal cancels.
func interruptible(env environment, do func(ctx context.Context) error) error {
	stop := newStopper(env.signals, nil)
	defer stop.end()
	err := do(stop.soft)
	if code, stopped := stop.exitCode(); stopped {
		return &commandError{code: code}
	}
	return err
}
