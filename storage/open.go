package storage

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// Errors of opening a state file.
var (
	// ErrLocked means that another process holds the file.
	ErrLocked = errors.New("state is in use by another process")
	// ErrNotOurs means that the file is not a state of decorum.
	ErrNotOurs = errors.New("not a state file of decorum")
	// ErrNewer means that a newer version wrote the file.
	ErrNewer = errors.New("state was written by a newer version")
	// ErrDamaged means that the file cannot be read, or that its parts contradict
	// each other.
	ErrDamaged = errors.New("state is damaged")
)

const (
	schemaVersion = 2
	lockTimeout   = time.Second
)

var (
	magic = []byte("decorum.state")

	metaBucket      = []byte("meta")
	urlsBucket      = []byte("urls")
	queueBucket     = []byte("queue")
	tentativeBucket = []byte("tentative")
	hostsBucket     = []byte("hosts")
	robotsBucket    = []byte("robots")
	bodiesBucket    = []byte("bodies")
)

// State is an open state file. It is safe for concurrent use, except that only
// one goroutine at a time may call Apply.
type State struct {
	db   *bbolt.DB
	path string
	size int64 // of the file when it was opened
}

// Create makes the state file of a new crawl at path and opens it. After an error
// there is no new file. An existing file is not changed and is [fs.ErrExist].
func Create(path string) (*State, error) {
	if err := atomicfile.CreateFunc(path, func(draft string) error { return initialise(draft, "") }); err != nil {
		return nil, fmt.Errorf("create state %s: %w", path, err)
	}
	return Open(path, false)
}

// initialise makes an empty state of that run; empty: a new run.
func initialise(path, run string) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockTimeout})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{urlsBucket, queueBucket, tentativeBucket, hostsBucket, robotsBucket, bodiesBucket} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		b, err := tx.CreateBucket(metaBucket)
		if err != nil {
			return err
		}
		m := meta{run: cmp.Or(run, rand.Text())}
		if err := b.Put([]byte("magic"), magic); err != nil {
			return err
		}
		if err := b.Put([]byte("schema"), []byte{schemaVersion}); err != nil {
			return err
		}
		return m.save(b)
	})
	return withErrno(errors.Join(err, db.Close()))
}

// Open opens an existing state file. With readOnly nothing is written, and several
// processes may read at once. It waits at most a second for another process, then
// returns [ErrLocked].
func Open(path string, readOnly bool) (*State, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	if info.Size() == 0 {
		return nil, fmt.Errorf("open state %s: file is empty: %w", path, ErrDamaged)
	}
	if err := readable(path); err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	s := &State{path: path, size: info.Size()}
	err = guard(func() error {
		var err error
		s.db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout: lockTimeout, ReadOnly: readOnly, FreelistType: bbolt.FreelistMapType,
		})
		return err
	})
	if err == nil {
		err = s.check()
	}
	if err != nil {
		if s.db != nil {
			_ = guard(s.db.Close)
		}
		return nil, fmt.Errorf("open state %s: %w", path, translate(err))
	}
	return s, nil
}

// readable reads the beginning of a file: bbolt takes an error there for a file of
// another kind.
func readable(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.ReadAt(make([]byte, 4096), 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// check makes sure that the file is a state of ours and has all buckets.
func (s *State) check() error {
	return s.view(func(tx *bbolt.Tx) error {
		b := tx.Bucket(metaBucket)
		if b == nil || !bytes.Equal(b.Get([]byte("magic")), magic) {
			return ErrNotOurs
		}
		schema := b.Get([]byte("schema"))
		if len(schema) != 1 {
			return ErrDamaged
		}
		if schema[0] > schemaVersion {
			return ErrNewer
		}
		if schema[0] < schemaVersion {
			return fmt.Errorf("it has the format %d, which was never released: %w", schema[0], ErrDamaged)
		}
		for _, name := range [][]byte{urlsBucket, queueBucket, tentativeBucket, hostsBucket, robotsBucket, bodiesBucket} {
			if tx.Bucket(name) == nil {
				return fmt.Errorf("bucket %s is missing: %w", name, ErrDamaged)
			}
		}
		return nil
	})
}

// Close closes the file.
func (s *State) Close() error {
	if err := guard(s.db.Close); err != nil {
		return fmt.Errorf("close state %s: %w", s.path, err)
	}
	return nil
}

func (s *State) view(read func(*bbolt.Tx) error) error {
	return guard(func() error { return s.db.View(read) })
}

// guard returns ErrDamaged for the panics of bbolt at damage, and for faults in
// the mapped file.
func guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, fault)
		}
	}()
	return withErrno(do())
}

func translate(err error) error {
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout):
		return ErrLocked
	case errors.Is(err, bbolterrors.ErrInvalid), errors.Is(err, bbolterrors.ErrChecksum), errors.Is(err, bbolterrors.ErrVersionMismatch):
		return fmt.Errorf("%w: %w", ErrNotOurs, err)
	case isOurs(err):
		return err
	}
	if _, ok := errors.AsType[syscall.Errno](err); ok { // the disk's, or missing rights
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

func isOurs(err error) bool {
	return errors.Is(err, ErrNotOurs) || errors.Is(err, ErrNewer) || errors.Is(err, ErrDamaged)
}
