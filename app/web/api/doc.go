// Package api answers the agent API: JSON under unprefixed paths, which are version 1 and only ever
// grow.
//
// Every error is {"error":{"code","message","hint"}}, plus "field" where one input field is at
// fault.
//
// A profile id and an execution id are tokens and stand in paths. So handlers leave handles for the
// log, and never log a path. No handler looks at a cookie.
package api
