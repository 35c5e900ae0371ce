package storage

import (
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// compactBytes bounds the transactions that copy a state.
const compactBytes = 16 << 20

// Compact replaces the state file at path by a copy without the free pages that
// bbolt keeps, and returns both sizes in bytes. A process that is killed leaves the
// old file or the new one. The caller makes sure that no other process opens path
// meanwhile, since it would go on with the old file. Compact returns the errors of
// [Open], and an [ErrDamaged] if [State.Check] finds a fault; see there for what a
// damaged file can do to the process.
func Compact(path string) (before, after int64, err error) {
	s, err := Open(path, true)
	if err != nil {
		return 0, 0, err
	}
	if err = s.whole(); err == nil {
		err = atomicfile.ReplaceFunc(path, s.copyTo)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return 0, 0, fmt.Errorf("compact state %s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, fmt.Errorf("compact state: %w", err)
	}
	return s.size, info.Size(), nil
}

// whole returns an [ErrDamaged] with the first fault of the state.
func (s *State) whole() error {
	first := ""
	err := s.Check(func(format string, args ...any) {
		if first == "" {
			first = fmt.Sprintf(format, args...)
		}
	})
	if err == nil && first != "" {
		err = fmt.Errorf("%w: %s", ErrDamaged, first)
	}
	return err
}

// copyTo copies the state to a new file.
func (s *State) copyTo(path string) error {
	to, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockTimeout, NoSync: true, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	err = guard(func() error { return bbolt.Compact(to, s.db, compactBytes) })
	if err == nil {
		err = finish(to)
	}
	return errors.Join(err, to.Close())
}

// finish makes a new file durable. It commits once more, without a change: if the
// page that names the last transaction is damaged, bbolt falls back to the one
// before, which would be a part of the file.
func finish(db *bbolt.DB) error {
	if err := db.Update(func(*bbolt.Tx) error { return nil }); err != nil {
		return err
	}
	return db.Sync()
}
