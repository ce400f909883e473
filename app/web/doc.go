// Package web serves Airlock over HTTP behind one route table: the agent API (app/web/api), MCP
// (app/web/mcphttp), the admin UI (app/web/ui) and monitoring. Only packages below it know echo.
//
// # Promises to agents
//
// Every error is {"error":{"code","message","hint"}}, plus "field" where one input field is at
// fault. httpx gives each code its HTTP status. Any error but *app.Error is logged and shown as
// "internal".
//
// Bodies are read strictly: one JSON object of at most 4 MiB in valid UTF-8, no duplicate or
// unknown names, exact types, null meaning absent. A form content type, curl's
// default, is read as JSON too; any other type is refused.
//
// # Secrets in URLs
//
// Profile ids and execution ids are tokens and stand in the paths of the agent API. The log has
// route templates and handles, never paths. Answers carry Cache-Control: no-store and
// Referrer-Policy: no-referrer.
//
// # Cookies
//
// No agent route looks at a cookie. POST /profiles needs no token, so http.CrossOriginProtection
// stands before every route: a web page can't make a visitor's browser call a private Airlock.
//
// # Waiting
//
// Drain ends long polls (?wait=, at most 50 s) and event streams for a shutdown. Too many long
// polls at once are refused: of all, of one profile, and of unlocked profiles.
package web
