package executionview

import (
	"slices"
)

// channels lists a box's channels in page order with their words.
func channels() [][2]string {
	return [][2]string{
		{"script", "Script"},
		{"result", "Result"},
		{"stdout", "Output"},
		{"stderr", "Errors (stderr)"},
		{"error", "Error message"},
		{"prompt", "LLM question"},
		{"answer", "LLM answer"},
		{"network", "Network"},
		{"artifacts", "Artifacts"},
	}
}

func channelWord(channel string) string {
	for _, c := range channels() {
		if c[0] == channel {
			return c[1]
		}
	}
	return channel
}

// Channels sorts channels in page order; unknown ones follow by name.
func Channels(names []string) []string {
	var sorted []string
	for _, c := range channels() {
		if slices.Contains(names, c[0]) {
			sorted = append(sorted, c[0])
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(sorted, name) {
			sorted = append(sorted, name)
		}
	}
	return sorted
}
