// Package dashboard serves overview, inbox, sandbox, statistics, search and the event stream.
package dashboard
