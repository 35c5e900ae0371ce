// Package faults builds a program whose calls on files can fail, end the process,
// or be logged, and whose clock can be wrong. Tests only.
//
// The seam is below the standard library: [Build] compiles the program with the
// overlay of the go command, in which a few functions of the packages syscall,
// internal/syscall/unix and time are wrapped. So it sees every call on a file,
// those of bbolt and of code that is yet to be written as well, and the program
// itself has no code for it. A [Plan] is passed in the environment.
//
// The log of a process says which calls it made. [Disk] replays it and tells what
// a disk would hold after the power failed at its end.
package faults
