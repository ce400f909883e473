// Package httpx holds what the agent API, the admin UI and MCP share about HTTP.
//
// It reads requests strictly (bind.go), gives every error its status (errors.go), knows who sent a
// request and under which address (origins.go), and bounds what callers take of the server:
//
//   - RateLimiter: requests a minute, of one address and of all
//   - WaitLimiter: long polls that are held open
//   - BodyLimiter: memory for request bodies
//   - AnswerLimiter: memory for answers that their readers have not taken yet
//   - DownloadWriter: the time that a download takes
//
// BodyLimiter and AnswerLimiter share their memory by a Budget: an address may reserve as much as it leaves free,
// and a slow client is evicted when another one needs its memory.
package httpx
