// Package e2e runs the real program in tests: instances, hosts for them, and images.
//
// The tests are in packages below, by theme: cli (commands, API, examples), deploy (image, deploy
// files, release), hostile (scripts that try to break out), recovery (crashes, moves, full disks),
// soak (load over time) and repo (the repository's claims about itself). Their TestMain calls
// RunTests. Paths are relative to a package of tests.
package e2e
