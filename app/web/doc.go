// Package web is Airlock's HTTP face: the agent API (app/web/api), MCP (app/web/mcphttp), the admin
// UI (app/web/ui) and monitoring, behind one route table. No package outside of it knows echo.
//
// # Promises to agents
//
// Every error is {"error":{"code","message","hint"}}, plus "field" where one input field is at
// fault; httpx gives each code its HTTP status. An error that is no *app.Error is "internal": it is
// logged, and nothing of it is shown. Bodies are read strictly: one JSON object of at most 4 MiB in
// valid UTF-8, no duplicate or unknown names, no lone surrogates, exact types, null meaning absent.
// A form content type, which curl sends unless told otherwise, is read as JSON too; any other type
// is refused.
//
// # Secrets in URLs
//
// A profile id and an execution id are tokens and stand in the paths of the agent API. So the log
// carries the route's template and the handle of what a request acts on, never a path. Answers
// carry Cache-Control: no-store and Referrer-Policy: no-referrer.
//
// # Cookies
//
// No agent route looks at a cookie. An API without cookies has nothing to forge, but POST /profiles
// needs no token at all. So http.CrossOriginProtection stands before every route: a web page can't
// make a visitor's browser call a private Airlock.
//
// # Waiting
//
// Long polls (?wait=, at most 50 s) and event streams end when Drain is called, so that a shutdown
// doesn't wait for them. Too many long polls at once are refused: of all, of one profile, and of
// profiles that no person has locked.
package web
