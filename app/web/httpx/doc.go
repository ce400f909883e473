// Package httpx holds the HTTP code that the agent API, the admin UI and MCP share.
//
// It reads requests strictly (bind.go), gives errors their status (errors.go), identifies senders
// and addresses (origins.go), and bounds callers' use of the server:
//
//   - RateLimiter: requests a minute, of one address and of all
//   - Places: large request bodies in memory, and large answers until read
//   - MaxLongPolls: waiting calls
//
// Places are fixed in number and size. A profile or an address gets half of them at most.
package httpx
