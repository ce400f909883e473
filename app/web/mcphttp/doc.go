// Package mcphttp serves the Model Context Protocol over HTTP.
//
// Its tools call the agent API of this very server, in the name of the client that called the tool.
// Clients of protocols before 2026-07-28 have sessions, which take memory until they end. So a
// session ends when it is idle, an address opens only so many, the request that opens one is short,
// and only the newest stay.
package mcphttp
