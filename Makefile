# Airlock. `make help` lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help

GOLANGCI_VERSION := v2.15.0
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
INIT := plugins/initbin/airlock-init-linux-amd64 plugins/initbin/airlock-init-linux-arm64
INIT_SOURCES := $(wildcard cmd/airlock-init/*.go plugins/wire/*.go) go.mod
SOURCES := $(shell find app assets cmd plugins store views -name '*.go' -not -name '*_test.go' 2>/dev/null) go.mod

RUN_PACKAGES := bubblewrap python3 ca-certificates
TEST_PACKAGES := $(RUN_PACKAGES) gcc libc6-dev curl protobuf-compiler procps iproute2 util-linux \
	python3-httpx python3-requests python3-psycopg2 python3-numpy python3-pandas postgresql chromium

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

.PHONY: demo
demo: run-packages build ## Start Airlock and walk the whole flow on real data; Ctrl-C ends it
	CGO_ENABLED=0 go build -o .bin/demo ./examples/demo
	@.bin/demo -airlock ./airlock

.PHONY: run
run: run-packages build ## Serve on port 9090 with the data in ./data
	./airlock serve

.PHONY: build
build: airlock ## Build ./airlock, one static file

airlock: $(INIT) $(SOURCES)
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.release=$(VERSION)" -o $@ ./cmd/airlock

plugins/initbin/airlock-init-linux-%: $(INIT_SOURCES)
	CGO_ENABLED=0 GOOS=linux GOARCH=$* go build -trimpath -ldflags "-s -w" -o $@ ./cmd/airlock-init

.PHONY: init
init: $(INIT) ## Build the guest's PID 1, which the tests need too

.PHONY: test
test: test-packages init lint generated ## Install what the tests need and run everything, with the race detector
	go test -race -count=1 -timeout 18m ./...

.PHONY: check
check: test ## Format, lint, generated code up to date, tests: all that CI asks for

.PHONY: lint
lint: .bin/golangci-lint-$(GOLANGCI_VERSION) init ## Format and lint, the import arrows among it
	.bin/golangci-lint-$(GOLANGCI_VERSION) run ./...

.PHONY: generate
generate: .bin/protoc-gen-go .bin/protoc-gen-go-grpc ## Generate code from .templ and .proto files (needs protobuf-compiler)
	go tool templ generate -log-level error
	cd plugins/proto && PATH="$(CURDIR)/.bin:$$PATH" go generate

.PHONY: generated
generated: ## Fail if generated code is not what is committed
	@sum() { find views plugins/proto -name '*_templ.go' -o -name '*.pb.go' | sort | xargs sed '/protoc  *v/d' | sha256sum; }; \
	before=$$(sum); $(MAKE) --no-print-directory generate; \
	[ "$$before" = "$$(sum)" ] || { echo "Generated code was stale; it has been made anew. Commit it." >&2; exit 1; }

.PHONY: bench
bench: run-packages build ## Measure, side by side in one run
	./airlock bench

.PHONY: clean
clean: ## Remove what was built
	rm -rf airlock .bin plugins/initbin/airlock-init-linux-*

.PHONY: run-packages
run-packages:
	@.ci/packages $(RUN_PACKAGES)

.PHONY: test-packages
test-packages:
	@.ci/packages $(TEST_PACKAGES)

.bin/protoc-gen-go: go.mod
	mkdir -p .bin && go build -o $@ google.golang.org/protobuf/cmd/protoc-gen-go

.bin/protoc-gen-go-grpc: go.mod
	mkdir -p .bin && go build -o $@ google.golang.org/grpc/cmd/protoc-gen-go-grpc

.bin/golangci-lint-$(GOLANGCI_VERSION):
	mkdir -p .bin
	GOBIN=$(CURDIR)/.bin GOFLAGS= go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	mv .bin/golangci-lint $@
