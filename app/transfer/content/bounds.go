package content

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Bounds on numbers and short texts of a file.
const (
	// unix milliseconds: the end of the year 9999, the last that JSON and pages can write
	MaxMoment = 253_402_300_799_999
	MaxNumber = 1 << 53       // what every reader of JSON can count to
	MaxCount  = MaxNumber / 2 // of numbers that go on counting here, so that our own files stay readable
	MaxTally  = 1 << 40       // of numbers that an import adds to growing sums
	MaxField  = 64 << 10      // bytes: of an error or a path, the longest that lists show
)

// long are texts outside of lists; a line's length bounds them.
var long = map[string]bool{ //nolint:gochecknoglobals // a table
	"Stdout": true, "Stderr": true, "Result": true, "Segments": true, "Clean": true, "CleanInputs": true,
	"Prompt": true, "Response": true, "Shown": true,
}

// checkBounds refuses rows with unusable times, numbers or text lengths. Fields named …At are
// milliseconds, Start is seconds.
func checkBounds(row any) error {
	v := reflect.ValueOf(row)
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		switch f.Kind() {
		case reflect.Struct:
			if v.Type().Field(i).Anonymous { // the row of a record
				if err := checkBounds(f.Interface()); err != nil {
					return err
				}
			}
		case reflect.Int, reflect.Int64:
			if n := f.Int(); n < -1 || n > MaxNumber || strings.HasSuffix(name, "At") && (n < 0 || n > MaxMoment) ||
				name == "Start" && (n < 0 || n > MaxMoment/1000) {
				return fmt.Errorf("its %s is not possible", name)
			}
		case reflect.String:
			if f.Len() > MaxField && !long[name] {
				return fmt.Errorf("its %s is longer than %d bytes", name, MaxField)
			}
		}
	}
	return nil
}

// Growth of an execution's output and result in their line.
const (
	outputGrowth = 2 * 6 // two streams, of which JSON writes a control byte as six
	// a masked result has at most twice as many bytes (engine), and JSON may double each
	resultGrowth = 2 * 2
	lineRest     = 1 << 20 // the names of members, and how the streams took turns
)

// CheckLimits refuses limits under which a script's output could exceed a line of a file. No export
// or backup with such output could be read.
func CheckLimits(l app.Limits) error {
	const room = maxLine - lineRest
	if l.Output <= (room-resultGrowth)/outputGrowth && l.Result <= (room-outputGrowth*l.Output)/resultGrowth {
		return nil
	}
	output := fitting("an output", room-resultGrowth*min(l.Result, room), outputGrowth)
	result := fitting("a result", room-outputGrowth*min(l.Output, room), resultGrowth)
	return fmt.Errorf("AIRLOCK_LIMIT_OUTPUT and AIRLOCK_LIMIT_RESULT are too large together: an export or a backup "+
		"holds an execution in %d MiB, and needs up to twelve times the first and four times the second. "+
		"Beside this result fits: %s. Beside this output: %s", room>>20, output, result)
}

func fitting(what string, room, growth int64) string {
	if room/growth < 1<<10 {
		return "none"
	}
	return fmt.Sprintf("%s of at most %dKiB", what, room/growth>>10)
}
