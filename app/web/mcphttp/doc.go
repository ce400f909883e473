// Package mcphttp serves the Model Context Protocol over HTTP.
//
// Its tools call this server's agent API in the name of their client. It speaks protocols up to
// 2025-11-25, which have sessions; clients of 2026-07-28 fall back to them. Sessions take memory:
// idle ones end, an address opens only so many, opening requests are short, and only the newest
// stay.
package mcphttp
