// Testserver is a Vault server for tests: Vault's core and HTTP handler, with storage in memory. It
// starts uninitialised and sealed; the tests do both over HTTP. It prints its address, and ends
// when its standard input does.
//
// Its own module keeps Vault's dependencies out of the product.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	log "github.com/hashicorp/go-hclog"
	"github.com/hashicorp/vault/audit"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	logger := log.New(&log.LoggerOptions{Output: os.Stderr, Level: log.LevelFromString(os.Getenv("TESTSERVER_LOG"))})
	physical, err := inmem.NewInmem(nil, logger)
	if err != nil {
		return err
	}
	builtin := plugins()
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical: physical, Logger: logger, DisableMlock: true, BuiltinRegistry: builtin,
		LogicalBackends: builtin.secrets, CredentialBackends: builtin.auth, AuditBackends: map[string]audit.Factory{},
		RollbackPeriod: time.Minute, ExpirationRevokeRetryBase: time.Second,
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	server := &http.Server{
		Handler: vaulthttp.Handler.Handler(
			&vault.HandlerProperties{Core: core, ListenerConfig: &configutil.Listener{}}),
		ReadHeaderTimeout: 10 * time.Second,
	}
	go func() { failed <- server.Serve(listener) }()
	fmt.Println("http://" + listener.Addr().String())
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		failed <- err
	}()
	return <-failed
}
