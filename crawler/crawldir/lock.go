package crawldir

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/decorum-crawler/decorum/storage"
)

const (
	lockTimeout = time.Second // as long as opening a state file waits
	lockPoll    = 20 * time.Millisecond
)

// lock locks a directory until the returned file is closed or the process ends:
// alone, or shared with other readers. The state file has a lock of its own, but
// it may not exist yet, or be about to be replaced. lock waits at most a second
// for other processes, then returns [storage.ErrLocked]. On a file system without
// locks it locks nothing.
func lock(path string, alone bool) (*os.File, error) {
	folder, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open crawl directory: %w", err)
	}
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	poll := time.NewTicker(lockPoll)
	defer poll.Stop()
	for deadline := time.Now().Add(lockTimeout); ; <-poll.C {
		err := syscall.Flock(int(folder.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return folder, nil
		}
		if time.Now().After(deadline) {
			return nil, errors.Join(fmt.Errorf("open crawl directory %s: %w", path, storage.ErrLocked), folder.Close())
		}
	}
}
