package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/robots"
)

// pipeWait is how long a command waits for a pipe that is read as a file.
const pipeWait = 30 * time.Second

// readRobots reads a local robots.txt, as much of it as counts. It may be a
// pipe, as from a shell's <(command), but not a device other than /dev/null.
func readRobots(name string) (*robots.Document, error) {
	document, err := openRobots(name)
	if err != nil {
		return nil, &commandError{code: exitIO, err: err, hint: "name a readable file"}
	}
	return document, nil
}

func openRobots(name string) (*robots.Document, error) {
	file, err := openInput(name)
	if err != nil {
		return nil, fmt.Errorf("read robots.txt: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read robots.txt: %w", err)
	}
	pipe := isPipe(info)
	if pipe {
		if err := file.SetReadDeadline(time.Now().Add(pipeWait)); err != nil {
			return nil, fmt.Errorf("read robots.txt: %s: %w", name, err)
		}
	}
	document, err := robots.ReadLocal(name, file)
	if err == nil && pipe && len(document.Body) == 0 {
		err = fmt.Errorf("read robots.txt: %s: nothing was written to the pipe", name)
	}
	return document, err
}

// findRobots returns the robots.txt with a name: a local file, or what
// the site of a URL answers.
func findRobots(env environment, c configs.Config, name string) (*robots.Document, error) {
	if !strings.Contains(name, "://") {
		return readRobots(name)
	}
	address, err := targetURL(name)
	if err != nil {
		return nil, usageError(err, "give a file, or a URL such as https://example.com/robots.txt")
	}
	client := newClient(env, c, address)
	defer client.Close()
	document, err := client.Robots(context.Background(), address)
	if err == nil && document.Class() == robots.ClassUnreachable {
		err = fmt.Errorf("%s, so crawlers must assume that nothing is allowed", document.Failure())
	}
	if err != nil {
		return nil, &commandError{
			code: exitNothing, err: err,
			hint: "try again later, or name a local copy; a server without rules answers with status 404",
		}
	}
	return document, nil
}
