package transfer

import (
	"fmt"
	"reflect"
	"strings"
)

// What numbers and short texts of a file may be.
const (
	maxMoment = 253_402_300_799_999 // unix milliseconds: the end of the year 9999, the last one that JSON and pages can write
	maxNumber = 1 << 53             // what every reader of JSON can count to
	maxCount  = maxNumber / 2       // of what goes on counting here: files of ours must be readable afterwards, too
	maxTally  = 1 << 40             // of what an import brings into sums that go on growing here
	maxField  = 64 << 10            // bytes: of an error or a path, the longest that lists show
)

// long are the texts that no list shows; a line's length bounds them.
var long = map[string]bool{"Stdout": true, "Stderr": true, "Result": true, "Segments": true, "Clean": true, "Prompt": true, "Response": true} //nolint:gochecknoglobals // a table

// checkBounds refuses a row with a time that can't be written, a number that can't be counted to or a text that would fill a list's page. Fields named …At are milliseconds, Start is seconds.
func checkBounds(row any) error {
	v := reflect.ValueOf(row)
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		switch f.Kind() {
		case reflect.Int, reflect.Int64:
			if n := f.Int(); n < -1 || n > maxNumber || strings.HasSuffix(name, "At") && (n < 0 || n > maxMoment) || name == "Start" && (n < 0 || n > maxMoment/1000) {
				return fmt.Errorf("its %s is not possible", name)
			}
		case reflect.String:
			if f.Len() > maxField && !long[name] {
				return fmt.Errorf("its %s is longer than %d bytes", name, maxField)
			}
		}
	}
	return nil
}
