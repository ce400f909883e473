package guest

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the runner and its description
	"encoding/hex"
)

var (
	//go:embed runner/values.py
	valuesSource []byte
	//go:embed runner/sdk.py
	sdkSource []byte
	//go:embed runner/failure.py
	failureSource []byte
	//go:embed runner/asked.py
	askedSource []byte
	//go:embed runner/trust.py
	trustSource []byte
	//go:embed runner/main.py
	mainSource []byte

	//go:embed airlock.pyi
	stub []byte
)

// Runner returns the Python source that every box runs: standard library only, Python 3.9 or newer.
func Runner() []byte {
	return bytes.Join([][]byte{valuesSource, sdkSource, failureSource, askedSource, trustSource, mainSource}, []byte("\n"))
}

// RunnerDigest returns the sha256 of Runner in hex.
func RunnerDigest() string {
	sum := sha256.Sum256(Runner())
	return hex.EncodeToString(sum[:])
}

// Stub returns airlock.pyi, which types and documents what a script can call.
func Stub() []byte {
	return bytes.Clone(stub)
}
