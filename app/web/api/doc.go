// Package api serves the agent API: JSON under unprefixed paths, version 1, which only grows.
//
// Errors are {"error":{"code","message","hint"}}, plus "field" for one input field.
//
// Paths hold profile ids and execution ids, which are tokens. Handlers leave handles for the log,
// and never log a path. No handler looks at a cookie.
package api
