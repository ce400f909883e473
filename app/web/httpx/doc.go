// Package httpx holds what the agent API, the admin UI and MCP share about HTTP.
//
// It reads requests strictly (bind.go), gives every error its status (errors.go), knows who sent a
// request and under which address (origins.go), and bounds what callers take of the server:
//
//   - RateLimiter: requests a minute, of one address and of all
//   - BodyLimiter: large request bodies in memory
//   - AnswerLimiter: large answers in memory, until their readers have taken them
//   - MaxLongPolls: calls that wait
//   - downloadWriter: the time that a download takes
//
// Each has places of a fixed number and size. A profile or an address gets half of them at most.
package httpx
