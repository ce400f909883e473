// Command demo is `make demo`. It starts an Airlock and a small data service that needs a token. It
// walks the whole flow over HTTP, as an agent with the JSON API and as a person with the web UI's
// forms. It uses none of Airlock's packages, so any agent and browser can do the same.
//
// Read walk.go first. agent.go is a complete agent-side client, examples/browser the person's
// clicks.
//
//	go run ./examples/demo -airlock ./airlock          # walks, then keeps the server running until Ctrl-C
//	go run ./examples/demo -airlock ./airlock -once    # walks and ends; exit code 1 if any step went wrong
package main
