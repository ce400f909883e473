package content

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

// Bounds on numbers and short texts of a file.
const (
	// unix milliseconds: the end of the year 9999, the last that JSON and pages can write
	MaxMoment = 253_402_300_799_999
	MaxNumber = 1 << 53       // what every reader of JSON can count to
	MaxCount  = MaxNumber / 2 // in imports: numbers go on counting here, and our own files stay readable
	MaxField  = 64 << 10      // bytes: of an error or a path, the longest that lists show
)

// long are texts outside of lists; a line's length bounds them.
var long = map[string]bool{ //nolint:gochecknoglobals // a table
	"Stdout": true, "Stderr": true, "Result": true, "Clean": true, "CleanInputs": true, "Script": true,
	"Inputs": true, "Prompt": true, "Response": true, "Answer": true, "Value": true, "Shown": true,
}

// checkBounds refuses records with unusable times, numbers or text lengths, down to their lists.
// Fields named …At are milliseconds, Start is seconds. Scripts claim lines, which are only shown.
func checkBounds(v reflect.Value, name string, most int64) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return checkBounds(v.Elem(), name, most)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return nil
		}
		for i := range v.NumField() {
			if err := checkBounds(v.Field(i), v.Type().Field(i).Name, most); err != nil {
				return err
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() || v.Type().Elem().Kind() == reflect.Uint8 {
			return nil
		}
		for i := range v.Len() {
			if err := checkBounds(v.Index(i), name, most); err != nil {
				return err
			}
		}
	case reflect.Int, reflect.Int64:
		if n := v.Int(); name != "Line" && name != "ErrorLine" && (n < -1 || n > most) ||
			strings.HasSuffix(name, "At") && (n < 0 || n > MaxMoment) || name == "Start" && (n < 0 || n > MaxMoment/1000) {
			return fmt.Errorf("its %s is not possible", name)
		}
	case reflect.String:
		if v.Len() > MaxField && !long[name] {
			return fmt.Errorf("its %s is longer than %d bytes", name, MaxField)
		}
	}
	return nil
}

// CheckLimits refuses limits under which a script's output could exceed a line of a file. No export
// or backup with such output could be read.
func CheckLimits(l app.Limits) error {
	// JSON may write a byte of each stream as six. A masked result has at most twice as many bytes
	// (engine), and JSON may double each. The rest is for members' names and turns of the streams.
	const room, output, result = maxLine - 1<<20, 2 * 6, 2 * 2
	if l.Output <= room/output && l.Result <= room/result && output*l.Output+result*l.Result <= room {
		return nil
	}
	return fmt.Errorf("AIRLOCK_LIMIT_OUTPUT and AIRLOCK_LIMIT_RESULT are too large together: an export or a backup "+
		"holds an execution in %d MiB, and needs up to twelve times the first and four times the second", room>>20)
}
