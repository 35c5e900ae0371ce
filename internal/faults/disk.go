package faults

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
)

// A Disk is a folder as the kernel has it in memory, and as far as it is safe on
// the disk. What POSIX promises is safe, nothing more: what was written to a file
// after its last sync, and names that were made, changed or removed in a folder
// after the folder's last sync, are lost when the power fails, or a part of them
// is, in the order in which they were made.
type Disk struct {
	root    string
	names   map[string]*node // all of them, by absolute path
	safe    map[string]*node
	pending map[string][]change // of names, by folder
	inodes  map[uint64]*node
}

// node is a file or a folder.
type node struct {
	folder bool
	data   []byte // on the disk
	writes []Call // after the last sync
}

// change gives a name to a node, or takes it away.
type change struct {
	remove, put string // either may be empty
	node        *node
}

// NewDisk returns the disk that holds what is in a folder now, all of it safe.
func NewDisk(folder string) (*Disk, error) {
	d := &Disk{root: folder, names: map[string]*node{}, pending: map[string][]change{}, inodes: map[uint64]*node{}}
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		n := &node{folder: entry.IsDir()}
		if !n.folder {
			if n.data, err = os.ReadFile(name); err != nil {
				return err
			}
		}
		d.names[name] = n
		return nil
	})
	d.safe = maps.Clone(d.names)
	return d, err
}

// Replay does calls that a process has logged.
func (d *Disk) Replay(calls []Call) error {
	for _, c := range calls {
		if c.Failed {
			continue
		}
		if err := d.replay(c); err != nil {
			return fmt.Errorf("replay %s: %w", c, err)
		}
	}
	return nil
}

func (d *Disk) replay(c Call) error {
	switch c.Kind {
	case Open:
		d.open(c)
	case Mkdir:
		d.rename(c.Path, change{put: c.Path, node: &node{folder: true}})
	case Remove:
		d.rename(c.Path, change{remove: c.Path})
	case Rename:
		n := d.names[c.Path]
		if n == nil || n.folder {
			return fs.ErrInvalid
		}
		d.rename(c.To, change{remove: c.Path, put: c.To, node: n})
	case Write, WriteAt, Truncate:
		n := d.inodes[c.Inode]
		if n == nil {
			return fs.ErrNotExist
		}
		n.writes = append(n.writes, c)
	case Sync:
		d.sync(c)
	}
	return nil
}

func (d *Disk) open(c Call) {
	n := d.names[c.Path]
	if n == nil && c.Offset&syscall.O_CREAT != 0 {
		n = &node{}
		d.rename(c.Path, change{put: c.Path, node: n})
	}
	if n == nil || n.folder {
		return
	}
	d.inodes[c.Inode] = n
	if c.Offset&syscall.O_TRUNC != 0 {
		n.writes = append(n.writes, Call{Kind: Truncate})
	}
}

// rename does a change now, and notes it as not safe in the folder of name.
func (d *Disk) rename(name string, c change) {
	c.apply(d.names)
	folder := path.Dir(name)
	d.pending[folder] = append(d.pending[folder], c)
}

func (c change) apply(names map[string]*node) {
	if c.remove != "" {
		delete(names, c.remove)
	}
	if c.put != "" {
		names[c.put] = c.node
	}
}

func (d *Disk) sync(c Call) {
	if n := d.names[c.Path]; n != nil && n.folder {
		for _, c := range d.pending[c.Path] {
			c.apply(d.safe)
		}
		delete(d.pending, c.Path)
		return
	}
	if n := d.inodes[c.Inode]; n != nil {
		n.data, n.writes = n.after(len(n.writes)), nil
	}
}

// after returns the data of a file after the first of its writes that are not
// safe.
func (n *node) after(writes int) []byte {
	data := slices.Clone(n.data)
	for _, c := range n.writes[:writes] {
		end := c.Offset + int64(len(c.Data))
		if grow := end - int64(len(data)); grow > 0 {
			data = append(data, make([]byte, grow)...)
		}
		if c.Kind == Truncate {
			data = data[:c.Offset]
		}
		copy(data[min(c.Offset, int64(len(data))):], c.Data)
	}
	return data
}

// Crash replaces the folder by what the disk holds after a power failure. With a
// source of random numbers, a part of what is not safe is there, else nothing of
// it.
func (d *Disk) Crash(random *rand.Rand) error {
	names := maps.Clone(d.safe)
	some := func(n int) int {
		if random == nil {
			return 0
		}
		return random.IntN(n + 1)
	}
	for _, folder := range slices.Sorted(maps.Keys(d.pending)) {
		changes := d.pending[folder]
		for _, c := range changes[:some(len(changes))] {
			c.apply(names)
		}
	}
	return d.restore(names, func(n *node) []byte { return n.after(some(len(n.writes))) })
}

// Files returns the sizes of the files that are safe, by their paths.
func (d *Disk) Files() map[string]int64 {
	sizes := map[string]int64{}
	for name, n := range d.safe {
		if !n.folder {
			sizes[name] = int64(len(n.data))
		}
	}
	return sizes
}

func (d *Disk) restore(names map[string]*node, data func(*node) []byte) error {
	entries, err := os.ReadDir(d.root)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(d.root, entry.Name())); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		n, folder := names[name], names[path.Dir(name)]
		switch {
		case name == d.root:
			continue
		case folder == nil || !folder.folder: // the folder was lost
			delete(names, name)
			continue
		case n.folder:
			err = os.Mkdir(name, 0o700)
		default:
			err = os.WriteFile(name, data(n), 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
