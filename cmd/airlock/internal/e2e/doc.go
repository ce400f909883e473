// Package e2e runs the real program in tests: instances, hosts that they may reach, images, and
// what a test sees of them from outside.
//
// The tests stand below, by theme: cli (commands, API, examples), deploy (image, deploy files,
// release), hostile (scripts that try to break out), recovery (crashes, moves, full disks), soak
// (load over time) and repo (what the repository says about itself). A test package calls RunTests
// in its TestMain. Paths are relative to a package of tests, which is where they run.
package e2e
