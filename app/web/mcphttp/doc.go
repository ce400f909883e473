// Package mcphttp serves the Model Context Protocol over HTTP, without sessions.
//
// Its tools call this server's agent API in the name of their client.
package mcphttp
