// Package mcp offers the agent API to models by the Model Context Protocol: each call of the API is
// a tool, made from the same table as SKILL.md and the OpenAPI document. Every tool call becomes
// requests to the agent API itself, over the network (airlock mcp) or within the process (/mcp), so
// there is one place that authorises, limits and redacts, and it is not here.
//
// A tool waits where the API would have its caller poll. While it waits it reports progress, if the
// client asked for that; clients count their patience from the last report. A script's question
// goes to the client's model where the client offers sampling, and comes back as the tool's answer
// where it does not. Sampling was declared obsolete in the protocol of 2026-07-28 and is to work
// for a year at least; the respond tool works without it.
//
// A client of that protocol or later is asked by an answer that names the question, and calls again
// with the model's words; an older one is asked in mid-call. What such an answer has it send back
// (the execution's id and the question's) needs no signature: the agent API decides anew what it
// opens.
package mcp
