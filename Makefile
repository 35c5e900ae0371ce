FUZZTIME ?= 10s
CHAOS ?= 10m
LINT = go tool -modfile=tools/go.mod golangci-lint

.PHONY: all fmt lint test race fuzz e2e chaos faults memory bench build

all: fmt lint test

fmt:
	$(LINT) fmt

lint:
	$(LINT) run ./...
	go -C bench vet ./...
	go -C internal/dateparser vet ./...

test:
	go test ./...

# The kill loop and the like run on the built program, so they are left to e2e.
race:
	go test -race -short ./...

fuzz:
	.ci/fuzz $(FUZZTIME)

# Real processes, real signals, a real server, readers of other makers: needs
# what .ci/run installs.
e2e:
	go test -count=1 ./audit/...
	go -C bench test ./...
	go test -count=1 -run 'KillLoop|Politeness|Nginx|Signals|SecondProcess|FullDisk|Bar|Damaged|Warcio|FromWARC' -v ./cmd/decorum
	go test -count=1 -run 'DuckDB|Python|Zstd' -v ./corpus/shard ./storage/warc
	$(MAKE) chaos CHAOS=60s

# Crawls that random things happen to; see docs/testing.md.
chaos:
	go test -count=1 -timeout 0 -run TestChaos -v ./cmd/decorum -chaos $(CHAOS)

# Each call on a file fails, and the power fails at each sync.
faults:
	go test -count=1 -timeout 0 -run 'TestFaults|TestPowerLoss' -v ./cmd/decorum -fault-step 1 -power-step 1

# The memory of a crawl at the sizes that the docs name; takes some minutes.
memory:
	go test -count=1 -run Memory -v ./cmd/decorum -full

# Our own benchmarks, then ours and those of peers side by side.
bench:
	go test -run '^$$' -bench . -benchmem ./...
	go -C bench test -count=1 -v -run Questions .
	go -C bench run .

build:
	go build -trimpath -o decorum ./cmd/decorum
