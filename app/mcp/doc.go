// Package mcp offers the agent API to models by the Model Context Protocol. Each call of the API is
// a tool, made from the same table as SKILL.md and the OpenAPI document. Every tool call becomes
// requests to the agent API, over the network (airlock mcp) or in the process (/mcp). Only that API
// authorises, limits and redacts.
//
// A tool waits where the API would have its caller poll, and reports progress if asked to. A
// script's question is the tool's answer, and the model answers it with the respond tool.
package mcp
