FUZZTIME ?= 10s

.PHONY: all fmt lint test race fuzz bench build

all: fmt lint test

fmt:
	gofmt -w .

lint:
	test -z "$$(gofmt -l .)"
	go vet ./...

test:
	go test ./...

race:
	go test -race ./...

# Go runs one fuzz target at a time, so each is named with its package.
fuzz:
	@grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z]+' . | sort | \
	while IFS=: read -r file func; do \
		name=$${func#func }; \
		echo "fuzz $$(dirname $$file) $$name"; \
		go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x "$$(dirname $$file)" || exit 1; \
	done

bench:
	go test -run '^$$' -bench . -benchmem ./...

build:
	go build -trimpath -o decorum ./cmd/decorum
