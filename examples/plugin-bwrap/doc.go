// Command plugin-bwrap is a sandbox backend of its own, as small as one can be. It runs each box
// with the bwrap program. Start from it to write yours; docs/plugins.md explains the steps. It
// imports plugins, which is the contract, plugins/initbin, which holds the program that runs in
// every box, and plugins/rlimit, which names the resource limits of a box, and nothing else of
// Airlock.
//
// It holds memory and processes by resource limits only, so it calls itself restricted.
package main
