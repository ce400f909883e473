// Package mcp offers the agent API to models by the Model Context Protocol. Each call of the API is
// a tool, made from the same table as SKILL.md and the OpenAPI document. Every tool call becomes
// requests to the agent API, over the network (airlock mcp) or in the process (/mcp). Only that API
// authorises, limits and redacts.
//
// A tool waits where the API would have its caller poll, and reports progress if asked to. A
// script's question goes to the client's model if the client offers sampling, else it is the tool's
// answer. The protocol of 2026-07-28 declared sampling obsolete; the respond tool works without it.
//
// A client of that protocol or later gets the question as an answer, and calls again with the
// model's words. An older one is asked in mid-call. The ids that such an answer sends back need no
// signature: the agent API authorises them anew.
package mcp
