// Package mcphttp serves the Model Context Protocol over HTTP.
//
// Its tools call the agent API of this very server, in the name of the client that called the tool.
// It speaks the protocols up to 2025-11-25, which have sessions; clients of 2026-07-28 fall back to
// them. Sessions take memory until they end. So a session ends when it is idle, an address opens only
// so many, the request that opens one is short, and only the newest stay.
package mcphttp
