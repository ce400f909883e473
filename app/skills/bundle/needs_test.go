package bundle_test

import (
	"fmt"
	"testing"

	"github.com/computclaw/airlock/app/skills/bundle"
)

func TestNeedsAreWhatTheEntrypointImports(t *testing.T) {
	const skill = "---\nname: a\ndescription: b\nmetadata:\n  airlock.entrypoint: scripts/main.py\n---\n"
	b, err := bundle.ReadFolder(folder(t, map[string]string{
		"SKILL.md": skill,
		"scripts/main.py": "import json, helpers.read\nfrom helpers import write as w\nimport vendored\ntry:\n    import ujson\n" +
			"except ImportError: pass\ndef f():\n    import yaml\n",
		"scripts/helpers/__init__.py":     "import first\n",
		"scripts/helpers/read.py":         "from . import deep\nfrom .. import nothing\nimport pandas.core\n",
		"scripts/helpers/write.py":        "import openpyxl\nimport helpers.read\n",
		"scripts/helpers/deep.py":         "import lxml\n",
		"scripts/vendored/inner/thing.py": "import never\n",
		"scripts/unused.py":               "import never\n",
		"tests/test_main.py":              "import pytest\n",
		"requirements.txt": "PyYAML>=6 # YAML\npandas == 2.2\nscikit_learn[extra] ~=1\nold; python_version < '3'\n-r more.txt\n" +
			"https://example.com/x.whl\nnamed @ https://example.com/y.whl\nvendored\n",
		"scripts/requirements.txt": "Ruamel.Yaml\n",
		"docs/requirements.txt":    "sphinx\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := "{[first json lxml openpyxl pandas] [named pandas pyyaml ruamel-yaml scikit-learn]}"
	if got := fmt.Sprint(b.Needs()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
