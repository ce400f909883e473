package imports

import (
	"slices"

	"github.com/computclaw/airlock/app/python"
)

// What makes a module common: it is imported by one of so many scripts, once there are enough.
const (
	oneOf  = 10
	enough = 20
)

// Common returns the modules that enough of the scripts import and that may be loaded for all of
// them, sorted.
func Common(scripts []string) (modules []string) {
	if len(scripts) < enough {
		return nil
	}
	count := map[string]int{}
	for _, script := range scripts {
		for _, module := range AtTop(script) {
			count[module]++
		}
	}
	for _, module := range Loadable() {
		if oneOf*count[module] >= len(scripts) {
			modules = append(modules, module)
		}
	}
	return modules
}

// Loadable returns the modules that may be loaded once for all scripts, sorted. Importing them
// takes time, and leaves no state that differs between interpreters, except what templates renew.
func Loadable() []string {
	list := []string{
		"argparse", "array", "ast", "asyncio", "base64", "bisect", "calendar", "collections", "concurrent.futures",
		"configparser", "contextlib", "copy", "csv", "dataclasses", "difflib", "email", "email.message",
		"email.mime.text", "email.utils", "enum", "fnmatch", "fractions", "functools", "glob", "gzip", "hashlib",
		"heapq", "hmac", "html", "html.parser", "http.client", "http.cookiejar", "inspect", "io", "ipaddress",
		"itertools", "logging", "mimetypes", "multiprocessing", "operator", "pathlib", "pickle", "platform", "pprint",
		"queue", "random", "re", "secrets", "shlex", "shutil", "smtplib", "socket", "sqlite3", "ssl", "statistics",
		"string", "struct", "subprocess", "tarfile", "tempfile", "textwrap", "typing", "unicodedata", "urllib.error",
		"urllib.parse", "urllib.request", "uuid", "xml.dom.minidom", "xml.etree.ElementTree", "zipfile", "zlib",
		"zoneinfo",

		"bs4", "dateutil", "dateutil.parser", "dateutil.relativedelta", "httpx", "jinja2", "lxml", "lxml.etree",
		"lxml.html", "numpy", "openpyxl", "pandas", "psycopg2", "requests", "yaml",
	}
	slices.Sort(list)
	return list
}

// AtTop returns the modules that a script's statements at column 0 may import, each once. What is
// imported from a module may be one in it, so that counts as one too.
func AtTop(script string) (modules []string) {
	for _, one := range python.Read(script).Imports {
		if !one.AtTop || one.Level > 0 {
			continue
		}
		modules = append(modules, one.Module)
		for _, name := range one.Names {
			modules = append(modules, one.Module+"."+name)
		}
	}
	slices.Sort(modules)
	return slices.Compact(modules)
}
