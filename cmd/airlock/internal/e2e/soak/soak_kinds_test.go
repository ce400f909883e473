package soak_test

import (
	"strings"
	"time"
)

// soakSecret is a value that scripts get as it is and print.
const soakSecret = "sk-soak-00123456789-Wx7q"

// soakKind is a script with exactly one right end. inputs["n"] is its number, which exposes
// mixed-up ends.
type soakKind struct {
	name     string
	script   string
	timeout  float64 // seconds; 20 if 0
	twice    bool    // it is submitted a second time under the same key
	answered bool    // its question is, half a second after it was asked
	cancel   string  // the status in which it is cancelled; running: a second after the witness has heard of it
	end      func(n string) soakEnd
}

// soakEnd is an end without what differs between equal ones.
type soakEnd struct {
	Status, Result, Stdout, Stderr string // the result as JSON; "" if there is none
	Error                          string // the beginning of it, if it ends in …
	Line                           int
	Redactions                     int
	Truncated                      bool
	Network                        []soakConnection
	asked                          bool          // it asks, for its number
	ran, waited                    time.Duration // at least
	unsent                         bool          // it may have ended before its script was sent
}

type soakConnection struct {
	Host        string   `json:"host"`
	Port        int      `json:"port"`
	Verdict     string   `json:"verdict"`
	Rule        string   `json:"rule"`
	Method      string   `json:"method"`
	Path        string   `json:"path"`
	Status      int      `json:"status"`
	Count       int      `json:"count"`
	Credentials []string `json:"credentials"`
}

func soakLoads() [][]soakKind {
	const asks = `set_result(llm.complete(inputs["n"]))`
	completed := func(n string) soakEnd { return soakEnd{Status: "completed", Result: quoted(n)} }
	cancelled := func(n string) soakEnd { return soakEnd{Status: "cancelled", Error: "cancelled by the agent"} }
	scripts := []soakKind{
		{name: "returns", script: `set_result(inputs["n"])`, twice: true, end: completed},
		{name: "prints", script: "import sys\nprint(inputs['n'] + 'x' * 50000)\nprint(inputs['n'], file=sys.stderr)",
			end: func(n string) soakEnd {
				return soakEnd{Status: "completed", Result: "null", Stdout: n + strings.Repeat("x", 50000) + "\n", Stderr: n + "\n"}
			}},
		{name: "fails", script: "print(1)\nraise ValueError(inputs['n'])", end: func(n string) soakEnd {
			return soakEnd{Status: "error", Error: "ValueError: " + n, Stdout: "1\n", Line: 2}
		}},
		{name: "takes a while", script: "import time\ntime.sleep(0.3)\nset_result({'n': inputs['n'], 'sum': " +
			"sum(range(1000))})", end: func(n string) soakEnd {
			return soakEnd{Status: "completed", Result: `{"n":` + quoted(n) + `,"sum":499500}`, ran: 300 * time.Millisecond}
		}},
		{name: "is refused a host", script: "import socket\nsocket.create_connection(('denied.test', 443), 5)",
			end: func(n string) soakEnd {
				return soakEnd{Status: "error",
					Error: "socket.gaierror: [Errno -2] Name or service not known\n\ndenied.test is not on this profile's host list " +
						"(rule: not on the list)…", Line: 2,
					Network: []soakConnection{{Host: "denied.test", Verdict: "denied", Rule: "not on the list", Count: 1}}}
			}},
		{name: "reaches a host", script: soakReaches, end: func(n string) soakEnd {
			return soakEnd{Status: "completed", Result: `"HTTP/1.1 200 OK"`, Stdout: "[SEALED:TOKEN]\n",
				Network: soakReached(n)}
		}},
		{name: "prints a secret", script: "print(settings['SECRET'])\nset_result(inputs['n'])", end: func(n string) soakEnd {
			return soakEnd{Status: "completed", Result: quoted(n), Stdout: "[REDACTED...Wx7q]\n", Redactions: 1}
		}},
		{name: "forks", script: "import os\nif os.fork() == 0: os._exit(0)\nos.wait()\nset_result(inputs['n'])",
			end: completed},
		{name: "exits", script: "import sys\nsys.exit(3)", end: func(n string) soakEnd {
			return soakEnd{Status: "error", Error: "SystemExit: 3", Line: 2}
		}},
	}
	return [][]soakKind{
		scripts, scripts,
		{{name: "asks", script: asks, answered: true, end: func(n string) soakEnd {
			return soakEnd{Status: "completed", Result: quoted(soakAnswer(n)), asked: true, waited: soakThought}
		}}},
		{
			{name: "asks in vain", script: asks, end: func(n string) soakEnd {
				return soakEnd{Status: "timeout", Error: "no answer came to the question llm_…", asked: true, waited: soakWait}
			}},
			{name: "is cancelled while it asks", script: asks, cancel: "awaiting_llm", end: func(n string) soakEnd {
				return soakEnd{Status: "cancelled", Error: "cancelled by the agent", asked: true}
			}},
		},
		{
			{name: "is cancelled while it runs",
				script: "print(inputs['n'], flush=True)\n" + soakReaches + "\nimport time\ntime.sleep(1000)", timeout: 100,
				cancel: "running", end: func(n string) soakEnd {
					return soakEnd{Status: "cancelled", Error: "cancelled by the agent", Result: `"HTTP/1.1 200 OK"`,
						Stdout: n + "\n[SEALED:TOKEN]\n", Network: soakReached(n)}
				}},
			{name: "is cancelled at once", script: "import time\ntime.sleep(15)", cancel: "pending",
				end: func(n string) soakEnd {
					end := cancelled(n)
					end.unsent = true
					return end
				}},
			{name: "takes too long", script: "import time\nprint(inputs['n'], flush=True)\ntime.sleep(1000)", timeout: 2,
				end: func(n string) soakEnd {
					return soakEnd{Status: "timeout", Stdout: n + "\n",
						Error: "the script ran longer than its timeout of 2 s and was stopped…", ran: 2 * time.Second}
				}},
		},
	}
}

// soakReaches tells the witness who it is and shows the credential.
const soakReaches = `import socket
with socket.create_connection(("witness.test", 80), 15) as s:
    s.sendall(("GET /%s HTTP/1.1\r\nHost: witness.test\r\nX-Token: %s\r\n\r\n"
           % (inputs["n"], settings["TOKEN"])).encode())
    answer = s.recv(65536)
print(settings["TOKEN"], flush=True)
set_result(answer.split(b"\r\n")[0].decode())`

func soakReached(n string) []soakConnection {
	return []soakConnection{{Host: "witness.test", Port: 80, Verdict: "allowed", Rule: "witness.test:80", Method: "GET",
		Path: "/" + n, Status: 200, Count: 1, Credentials: []string{"TOKEN"}}}
}

// soakThought is how long an answer takes.
const soakThought = 500 * time.Millisecond

func soakAnswer(n string) string { return "the answer to " + n }

func quoted(n string) string { return `"` + n + `"` }
