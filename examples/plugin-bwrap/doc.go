// Command plugin-bwrap is a minimal sandbox backend: it runs each box with bwrap. Start yours from
// it; docs/plugins.md explains the steps. Of Airlock it imports only plugins (the contract),
// plugins/initbin (the program in every box), plugins/rlimit (names of resource limits) and
// plugins/stdio (what a box says last).
//
// It limits memory and processes by resource limits only, so it calls itself restricted.
package main
