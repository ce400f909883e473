package hints

import (
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
)

const useLess = "; use less or ask the operator to raise "

func tmpHint(l app.Limits) string {
	return fmt.Sprintf("\nthe limit of /tmp is %s%sAIRLOCK_LIMIT_TMP; "+
		"that of /dev/shm is %s, half of AIRLOCK_LIMIT_MEMORY",
		app.FormatSize(l.Tmp), useLess, app.FormatSize(plugins.Limits{Memory: l.Memory}.Shm()))
}

// PidsHint names the limit of processes and threads.
func PidsHint(l app.Limits) string {
	return fmt.Sprintf("\nthe limit is %d processes and threads%sAIRLOCK_LIMIT_PIDS", l.Pids, useLess)
}

// limitMet returns the hint for a limit that an error text shows. It knows errnos, system messages,
// SIGXFSZ, SIGBUS and exit status 153.
func limitMet(text string, l app.Limits) string {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
	}
	switch {
	case has("[Errno 28]", "[Errno 27]", "No space left on device", "File too large", "File size limit exceeded",
		"SIGXFSZ", "SIGBUS", "exit status 153."):
		return tmpHint(l)
	case has("[Errno 24]", "[Errno 23]", "Too many open files"):
		return fmt.Sprintf("\nthe limit is %d open files per process, connections included%sAIRLOCK_LIMIT_FILES", l.Files,
			useLess)
	case has("[Errno 12]", "Cannot allocate memory"):
		return memoryHint(l)
	}
	return ""
}

func memoryHint(l app.Limits) string {
	return fmt.Sprintf("\nthe limit is %s of memory%sAIRLOCK_LIMIT_MEMORY", app.FormatSize(l.Memory), useLess)
}

// Warnings returns a sentence for each reached limit that the execution's error doesn't name.
func Warnings(x app.Execution) []string {
	var list []string
	for _, met := range x.Manifest.LimitsMet {
		text, variable := wordLimitMet(met, x.Manifest.Limits)
		if text != "" && !strings.Contains(x.Error, variable) {
			list = append(list, text+", or ask the operator to raise "+variable+".")
		}
	}
	return list
}

func wordLimitMet(met app.LimitMet, l app.Limits) (text, variable string) {
	const full = "%s was full at the end (%s), so files in it may be incomplete. Write less"
	switch met {
	case app.LimitMetPids:
		return fmt.Sprintf("The script reached the limit of %d processes and threads, and could start no more. Use fewer",
			l.Pids), "AIRLOCK_LIMIT_PIDS"
	case app.LimitMetTmp:
		return fmt.Sprintf(full, "/tmp", app.FormatSize(l.Tmp)), "AIRLOCK_LIMIT_TMP"
	case app.LimitMetShm:
		return fmt.Sprintf(full, "/dev/shm", app.FormatSize(plugins.Limits{Memory: l.Memory}.Shm())),
			"AIRLOCK_LIMIT_MEMORY"
	}
	return "", "" // of another version
}
