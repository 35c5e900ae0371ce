package faults

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

// How says what happens at a call.
type How string

// What can happen at a call.
const (
	Once  How = "once"  // it fails
	Every How = "every" // it writes a half, and all later calls but removals fail
	Kill  How = "kill"  // the process dies before it
)

// A Plan is what happens to a process. The zero value changes nothing.
type Plan struct {
	Dir string // absolute, without links; calls on what is in it count
	Log string // file that the calls are appended to; needed with Dir

	At    int // number of the call at which it happens, from 1; 0 means never
	How   How
	Errno syscall.Errno

	Jump      time.Duration // the clock on the wall is so much ahead, in whole seconds
	JumpAfter time.Duration // from this age of the process on
}

// Env returns the variables of the environment for the process.
func (p Plan) Env() []string {
	var env []string
	if p.Dir != "" {
		env = append(env, "DECORUM_TEST_DIR="+p.Dir, "DECORUM_TEST_LOG="+p.Log, "DECORUM_TEST_AT="+strconv.Itoa(p.At),
			"DECORUM_TEST_HOW="+string(p.How), "DECORUM_TEST_ERRNO="+strconv.Itoa(int(p.Errno)))
	}
	if p.Jump != 0 {
		env = append(env, fmt.Sprintf("DECORUM_TEST_JUMP=%d", p.Jump/time.Second), fmt.Sprintf("DECORUM_TEST_JUMP_AFTER=%d", p.JumpAfter))
	}
	return env
}

// A Kind is the kind of a call.
type Kind byte

// The kinds of calls.
const (
	Open     Kind = 'o'
	Read     Kind = 'r'
	Write    Kind = 'w'
	WriteAt  Kind = 'p'
	Sync     Kind = 's'
	Truncate Kind = 't'
	Remove   Kind = 'u'
	Mkdir    Kind = 'm'
	Rename   Kind = 'n'
)

// A Call is a call as it was logged.
type Call struct {
	Kind   Kind
	Failed bool
	Inode  uint64 // 0 unless a descriptor was used or opened
	Offset int64  // of Data; the flags of an Open, the length of a Truncate
	Path   string
	To     string // of a Rename
	Data   []byte // written
}

// String returns what was called, and the file.
func (c Call) String() string {
	if c.Failed {
		return fmt.Sprintf("%c %s (failed)", c.Kind, c.Path)
	}
	return fmt.Sprintf("%c %s", c.Kind, c.Path)
}

// ReadLog returns the calls in a log. A process that died may have left half a
// call at its end, which is not returned.
func ReadLog(name string) ([]Call, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var calls []Call
	for {
		c, rest, ok := cutCall(data)
		if !ok {
			return calls, nil
		}
		calls, data = append(calls, c), rest
	}
}

func cutCall(b []byte) (c Call, rest []byte, ok bool) {
	const head = 2 + 8 + 8
	if len(b) < head {
		return c, nil, false
	}
	c = Call{Kind: Kind(b[0]), Failed: b[1] == 'n', Inode: binary.LittleEndian.Uint64(b[2:]), Offset: int64(binary.LittleEndian.Uint64(b[10:]))}
	b = b[head:]
	var fields [3][]byte
	for i := range fields {
		if len(b) < 8 {
			return c, nil, false
		}
		size := binary.LittleEndian.Uint64(b)
		if b = b[8:]; uint64(len(b)) < size {
			return c, nil, false
		}
		fields[i], b = b[:size], b[size:]
	}
	c.Path, c.To, c.Data = string(fields[0]), string(fields[1]), fields[2]
	return c, b, true
}
