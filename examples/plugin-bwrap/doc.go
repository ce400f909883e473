// Command plugin-bwrap is a minimal sandbox backend: it runs each box with bwrap. Start yours from
// it; docs/plugins.md explains the steps. Of Airlock it imports only plugins (the contract),
// plugins/initbin (the program in every box) and plugins/rlimit (names of resource limits).
//
// It limits memory and processes by resource limits only, so it calls itself restricted.
package main
