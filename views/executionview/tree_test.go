package executionview

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTree(t *testing.T) {
	t.Parallel()
	root, ok := treeOf(json.RawMessage(`{"z":1,"a":[true,null,"x"],"big":12345678901234567890.10}`))
	if !ok || len(root.children) != 3 || root.children[0].key != "z" || root.children[1].summary() != "3 items" ||
		root.children[2].value != "12345678901234567890.10" {
		t.Errorf("%v %+v", ok, root)
	}
	wide, ok := treeOf(json.RawMessage("[" + strings.TrimSuffix(strings.Repeat("1,", 5000), ",") + "]"))
	if !ok || len(wide.children) != treeWide || wide.more != 5000-treeWide {
		t.Errorf("%v, %d children and %d more", ok, len(wide.children), wide.more)
	}
	for name, text := range map[string]string{"deep": strings.Repeat("[", 30) + strings.Repeat("]", 30),
		"large": "[" + strings.TrimSuffix(strings.Repeat(`[1,2,3,4,5,6,7,8,9,10],`, 190), ",") + "]", "broken": `{"a":`,
		"empty": ""} {
		if _, ok := treeOf(json.RawMessage(text)); ok {
			t.Errorf("%s: it is shown as a tree", name)
		}
	}
}
