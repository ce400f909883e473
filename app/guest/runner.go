package guest

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the runner and its description
	"encoding/hex"
	"encoding/json"
)

var (
	//go:embed runner/parts.py
	partsSource []byte
	//go:embed runner/text.py
	textSource []byte
	//go:embed runner/values.py
	valuesSource []byte
	//go:embed runner/sdk.py
	sdkSource []byte
	//go:embed runner/asked.py
	askedSource []byte
	//go:embed runner/trust.py
	trustSource []byte
	//go:embed runner/processors.py
	processorsSource []byte
	//go:embed runner/children.py
	childrenSource []byte
	//go:embed runner/main.py
	mainSource []byte

	//go:embed runner/foreign.py
	foreignSource string
	//go:embed runner/failure.py
	failureSource string
	//go:embed runner/skill.py
	skillSource string

	//go:embed airlock.pyi
	stub []byte
)

// Runner returns the Python source that every box runs. It uses the standard library of Python 3.9
// or newer. Code for later compilation or other processes is in it as text.
func Runner() []byte {
	// such JSON is Python too
	parts, err := json.Marshal(map[string]string{"foreign": foreignSource, "failure": failureSource, "skill": skillSource,
		"sdk": string(sdkSource), "processors": string(processorsSource)})
	if err != nil {
		panic(err) // texts always have a JSON form
	}
	parts = append([]byte("PARTS = "), parts...)
	return bytes.Join([][]byte{parts, partsSource, textSource, valuesSource, sdkSource, askedSource, trustSource,
		processorsSource, childrenSource, mainSource}, []byte("\n"))
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
