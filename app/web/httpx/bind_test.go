package httpx

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

type sample struct {
	Name   string            `in:"name,required"`
	Size   *float64          `in:"size"`
	Count  int               `in:"count"`
	Flag   bool              `in:"flag"`
	Any    json.RawMessage   `in:"any"`
	Named  map[string]string `in:"named"`
	Nested []struct {
		Inner string `in:"inner,required"`
	} `in:"nested"`
}

func TestBodyIsReadStrictly(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, body string
		code       app.Code
		field      string
		says       string
	}{
		{"minimal", `{"name":"x"}`, "", "", ""},
		{"all", `{"name":"x","size":1.5,"count":3,"flag":true,"any":[1,{"a":null}],"nested":[{"inner":"y"}]}`, "", "",
			""},
		{"null is absent", `{"name":"x","size":null,"nested":null}`, "", "", ""},
		{"surrogate pair", `{"name":"\ud83d\ude00"}`, "", "", ""},
		{"escaped backslash before u", `{"name":"\\ud800"}`, "", "", ""},
		{"byte order mark", "\xef\xbb\xbf" + `{"name":"x"}`, "", "", ""},
		{"missing", `{}`, app.CodeInvalidField, "name", "name is missing"},
		{"required null", `{"name":null}`, app.CodeInvalidField, "name", "name is missing"},
		{"array", `[]`, app.CodeInvalidJSON, "", "an array, not a JSON object"},
		{"number", `1`, app.CodeInvalidJSON, "", "a number"},
		{"string", `"x"`, app.CodeInvalidJSON, "", "a string"},
		{"null", `null`, app.CodeInvalidJSON, "", "null"},
		{"cut off", `{"name":`, app.CodeInvalidJSON, "", "line 1, column 8"},
		{"two objects", `{"name":"x"}{"name":"y"}`, app.CodeInvalidJSON, "", "after top-level value"},
		{"raw line break", "{\"name\":\"a\nb\"}", app.CodeInvalidJSON, "", "line "},
		{"single quotes", `{'name':'x'}`, app.CodeInvalidJSON, "", "column 2"},
		{"NaN", `{"size":NaN}`, app.CodeInvalidJSON, "", "invalid character 'N'"},
		{"form", `name=x`, app.CodeInvalidJSON, "", "not valid JSON"},
		{"invalid UTF-8", "{\"name\":\"\xff\"}", app.CodeInvalidJSON, "", "not valid UTF-8"},
		{"NUL", `{"name":"a\u0000b"}`, app.CodeInvalidField, "name", "NUL"},
		{"too deep", `{"any":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, app.CodeInvalidJSON, "",
			"depth"},
		{"unknown", `{"name":"x","colour":1}`, app.CodeUnknownField, "colour", "colour is not known"},
		{"unknown nested", `{"name":"x","nested":[{"inner":"y","outer":1}]}`, app.CodeUnknownField, "nested[0].outer",
			"nested[0].outer"},
		{"letter case", `{"Name":"x"}`, app.CodeUnknownField, "Name", "Name is not known"},
		{"twice", `{"name":"x","name":"y"}`, app.CodeInvalidJSON, "name", "given twice"},
		{"twice after null", `{"name":null,"name":"y"}`, app.CodeInvalidJSON, "name", "given twice"},
		{"number for string", `{"name":1}`, app.CodeInvalidField, "name", "name must be a string, not a number"},
		{"string for number", `{"name":"x","size":"60"}`, app.CodeInvalidField, "size", "must be a number, not a " +
			"string"},
		{"fraction for whole", `{"name":"x","count":1.5}`, app.CodeInvalidField, "count", "whole number"},
		{"huge number", `{"name":"x","size":1e999}`, app.CodeInvalidField, "size", "too large"},
		{"string for boolean", `{"name":"x","flag":"true"}`, app.CodeInvalidField, "flag", "true or false"},
		{"object for array", `{"name":"x","nested":{}}`, app.CodeInvalidField, "nested", "must be an array, not an " +
			"object"},
		{"string for object", `{"name":"x","nested":["y"]}`, app.CodeInvalidField, "nested[0]", "must be an object"},
		{"null in array", `{"name":"x","nested":[null]}`, app.CodeInvalidField, "nested[0]", "not null"},
		{"map", `{"name":"x","named":{"a.csv":"1","b.csv":"2"}}`, "", "", ""},
		{"null for map", `{"name":"x","named":null}`, "", "", ""},
		{"array for map", `{"name":"x","named":["1"]}`, app.CodeInvalidField, "named", "must be an object, not an array"},
		{"twice in map", `{"name":"x","named":{"a":"1","a":"2"}}`, app.CodeInvalidJSON, "named.a", "given twice"},
		{"null in map", `{"name":"x","named":{"a":null}}`, app.CodeInvalidField, "named.a", "a string, not null"},
		{"NUL in map", `{"name":"x","named":{"a":"\u0000"}}`, app.CodeInvalidField, "named.a", "NUL"},
		{"missing nested", `{"name":"x","nested":[{}]}`, app.CodeInvalidField, "nested[0].inner", "missing"},
		{"many items", `{"name":"x","nested":[` + strings.Repeat("{},", 1000) + `{}]}`, app.CodeInvalidField, "nested",
			"more than 1000"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := decodeBody([]byte(c.body), &sample{})
			if app.CodeOf(err) != c.code {
				t.Fatalf("got %v, want code %q", err, c.code)
			}
			if err == nil {
				return
			}
			e := err.(*app.Error) //nolint:errorlint,forcetypeassert // decodeBody promises it bare
			if e.Field != c.field || !strings.Contains(e.Message, c.says) || e.Hint == "" {
				t.Errorf("field %q, message %q, hint %q", e.Field, e.Message, e.Hint)
			}
		})
	}
}

func TestBodyValues(t *testing.T) {
	t.Parallel()
	var got sample
	if err := decodeBody([]byte(`{"name":"x\u00e9","size":1.5,"count":3,"flag":true,"any": {"b":1, "a":2} ,"named":{"a":"1","b":"2"},"nested":[{"inner":"y"}]}`), &got); err != nil {
		t.Fatal(err)
	}
	if got.Name != "xé" || got.Named["a"] != "1" || len(got.Named) != 2 || *got.Size != 1.5 || got.Count != 3 || !got.Flag || got.Nested[0].Inner != "y" {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(`{"b":1, "a":2}`, string(got.Any)); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownFieldsAreGuessed(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"scrpt": "Did you mean script?", "code": "Did you mean script?", "profile": "Did you mean profile_id?",
		"timeoutSeconds": "This call takes", "timeout_seconds": "Did you mean timeout?",
		"memory": "This call takes inputs, profile_id, script, timeout.",
	} {
		err := decodeBody([]byte(`{"`+field+`":1}`), &struct {
			ProfileID string          `in:"profile_id"`
			Script    string          `in:"script,required"`
			Timeout   *float64        `in:"timeout"`
			Inputs    json.RawMessage `in:"inputs"`
		}{})
		if e, ok := err.(*app.Error); !ok || e.Code != app.CodeUnknownField || !strings.Contains(e.Hint,
			want) { //nolint:errorlint // bare
			t.Errorf("%s: %+v", field, err)
		}
	}
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	for value, ok := range map[string]bool{
		"": true, "application/json": true, "application/json; charset=utf-8": true,
		"application/json;charset=UTF-8": true,
		"application/vnd.api+json":       true, "application/x-www-form-urlencoded": true,
		"text/plain": false, "multipart/form-data; boundary=x": false, "application/json; charset=latin1": false,
		"text/json": false, ";;;": false, "application/x-python": false,
	} {
		err := checkContentType(value)
		if (err == nil) != ok {
			t.Errorf("%q: %v", value, err)
		}
		if err != nil && app.CodeOf(err) != app.CodeUnsupportedMedia {
			t.Errorf("%q: code %s", value, app.CodeOf(err))
		}
	}
}

func FuzzDecodeBody(f *testing.F) {
	f.Add([]byte(`{"name":"x","nested":[{"inner":"y"}],"any":1e5}`))
	f.Add([]byte(`{"name":"\ud83d\ude00","size":-0}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got sample
		err := decodeBody(data, &got)
		if err == nil && (!json.Valid(data) && !json.Valid(data[3:]) ||
			got.Name == "" && !strings.Contains(string(data), `"name"`)) {
			t.Errorf("accepted %q", data)
		}
		if err != nil && Status(app.CodeOf(err)) >= http.StatusInternalServerError {
			t.Errorf("%q: %v", data, err)
		}
	})
}
