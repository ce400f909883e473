// Command demo is what `make demo` runs. It starts an Airlock and a small data service that needs a
// token, and walks the whole flow over HTTP, once as an agent with the JSON API and once as a
// person with the forms of the web UI. Nothing here uses Airlock's packages: whatever it does, any
// agent and any browser can do.
//
// Read walk.go first; it is the walk, step by step. agent.go is a complete agent-side client, examples/browser
// is what a person clicks with.
//
//	go run ./examples/demo -airlock ./airlock          # walks, then keeps the server running until Ctrl-C
//	go run ./examples/demo -airlock ./airlock -once    # walks and ends; exit code 1 if any step went wrong
package main
