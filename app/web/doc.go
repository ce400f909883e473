// Package web is Airlock's HTTP face: one route table (routes.go), the agent API (JSON, api_*.go) and the admin UI (HTML, ui_*.go).
// It is the only package that knows echo, so that a new major version of it is a change in one place.
//
// # Promises to agents
//
// Every error is {"error":{"code","message","hint"}} (plus "field" where one input field is at fault); errors.go is the one place that
// gives a code its HTTP status. What is not an *app.Error is "internal": logged, and nothing of it shown. Bodies are read strictly (bind.go): one JSON object of at most 4 MiB in
// valid UTF-8, no duplicate or unknown names, no lone surrogates, exact types, null meaning absent. A form content type, which is what curl sends unless told otherwise, is read
// as JSON too; any other type is refused.
//
// # Secrets in URLs
//
// A profile id and an execution id are tokens and stand in the paths of the agent API, so a path is never logged: the log carries the route's
// template and the non-secret handle of what was acted on. Answers carry Cache-Control: no-store and Referrer-Policy: no-referrer.
//
// # Cookies
//
// No agent route looks at a cookie. A cookie-less API has nothing to forge, but POST /profiles needs no token at all, so
// http.CrossOriginProtection stands before every route: a web page can't make a visitor's browser call a private Airlock.
//
// # Waiting
//
// Long polls (?wait=, at most 50 s) and event streams end when Drain is called, so a shutdown doesn't wait for them. More than maxWaiters long polls
// at once are refused, and fewer of one profile and of profiles that no person has locked.
package web
