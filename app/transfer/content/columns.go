package content

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// decodeColumns fills a record's members from the columns of the row that it embeds. Names are
// equal; columns are JSON unless the member is a text. Sealed columns and references have other
// types and stay empty.
func decodeColumns(record any) error {
	return eachColumn(record, func(member, column reflect.Value, name string) error {
		if member.Kind() == reflect.String {
			member.SetString(column.String())
			return nil
		}
		if err := json.Unmarshal([]byte(column.String()), member.Addr().Interface()); err != nil {
			return fmt.Errorf("content: column %s of %T: %w", name, record, err)
		}
		return nil
	})
}

// Encoded returns a record whose embedded row has the record's other members, too.
func Encoded[T any](record T) T {
	encodeColumns(&record)
	return record
}

// encodeColumns is the way back. An absent list is an empty one.
func encodeColumns(record any) {
	_ = eachColumn(record, func(member, column reflect.Value, _ string) error {
		switch {
		case member.Kind() == reflect.String:
			column.SetString(member.String())
		case member.Kind() == reflect.Slice && member.IsNil():
			column.SetString("[]")
		default:
			column.SetString(JSON(member.Interface()))
		}
		return nil
	})
}

// eachColumn visits a record's members of which the embedded row has a text column.
func eachColumn(record any, visit func(member, column reflect.Value, name string) error) error {
	v := reflect.ValueOf(record).Elem()
	var row reflect.Value
	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous {
			row = v.Field(i)
		}
	}
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		column := row.FieldByName(name)
		if v.Type().Field(i).Anonymous || !column.IsValid() || column.Kind() != reflect.String {
			continue
		}
		if err := visit(v.Field(i), column, name); err != nil {
			return err
		}
	}
	return nil
}

// JSON is a JSON column.
func JSON(v any) string {
	t, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("content: %T is always encodable: %v", v, err))
	}
	return string(t)
}
