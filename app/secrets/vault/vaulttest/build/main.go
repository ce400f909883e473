// Build makes the Vault server for tests and prints its path.
package main

import (
	"fmt"
	"os"

	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
)

func main() {
	path, err := vaulttest.Binary(os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, path)
}
