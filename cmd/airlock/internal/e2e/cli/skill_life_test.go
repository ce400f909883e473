package cli_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/views/browsertest"
)

// makesWorkbook turns a CSV file into a workbook with inputs' number of rows.
const makesWorkbook = `
import csv, io, zipfile
rows = list(csv.reader(files.open("orders.csv")))[:(inputs or {}).get("rows", 100_000)]
sheet = "".join("<row>" + "".join(f"<c t='inlineStr'><is><t>{cell}</t></is></c>" for cell in row) + "</row>" for row in rows)
book = io.BytesIO()
with zipfile.ZipFile(book, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{sheet}</sheetData></worksheet>")
save_file("orders.xlsx", book.getvalue())
set_result(len(rows))
`

// TestAScriptBecomesASkillThatAPhoneApproves: an agent turns a CSV file into a workbook and saves
// the script. A person approves it on a phone. It runs with other inputs; a changed version
// doesn't. The skill's page has each version's runs, and missing modules.
func TestAScriptBecomesASkillThatAPhoneApproves(t *testing.T) {
	t.Parallel()
	d := filesDesk{e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1")}
	d.Person()
	profile := d.PlaceProfile("bubblewrap")
	var orders strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&orders, "%08d,an order of %d\n", i, i%7)
	}
	file := map[string]string{"orders.csv": d.upload(profile, "orders.csv", []byte(orders.String()))}
	first := d.run(profile, map[string]any{"script": makesWorkbook, "files": file})
	if first.Status != "completed" || len(first.Artifacts) != 1 || orders.Len() < 2_000_000 {
		t.Fatalf("%+v of %d bytes", first, orders.Len())
	}
	if n := d.rowsBehind(first.Artifacts[0].URL); n != 100_000 {
		t.Errorf("the workbook has %d rows", n)
	}
	status, text, _ := d.do("POST", "/skills", profile, []byte(`{"execution_id":"`+first.ExecutionID+
		`","name":"workbook","description":"Makes a workbook"}`))
	if status != http.StatusCreated {
		t.Fatalf("%d %s", status, text)
	}
	d.refuses(profile, "workbook", file, "skill_not_approved")

	phone := browsertest.New(t, d.URL)
	phone.Size(390, 844)
	phone.Open("/ui/login")
	phone.Type("#name", "Tester")
	phone.Type("#password", "a password of the tests")
	phone.Click("form .primary")
	phone.Heading("Overview")

	approve := func(version int) {
		t.Helper()
		phone.Open("/ui/inbox")
		phone.Click(`#inbox a.button[href*="/skills/workbook"]`)
		phone.Says("#version-title", fmt.Sprint("Version ", version))
		phone.Until(`document.documentElement.scrollWidth <= innerWidth`)
		phone.Click("#approve button")
		phone.Until(fmt.Sprintf(`document.querySelector("#versions tbody tr")?.innerText.includes("Approved") &&
			document.querySelector("#version-title")?.innerText.includes("Version %d")`, version))
	}
	approve(1)
	if _, text, _ := d.do("GET", "/skill.md", profile, nil); !bytes.Contains(text, []byte("\nSkills: `workbook`: `GET /skills`.")) {
		t.Errorf("skill.md doesn't list the skill: %.2000s", text)
	}
	for _, rows := range []int{3, 5} {
		x := d.run(profile, map[string]any{"skill": "workbook", "inputs": map[string]int{"rows": rows}, "files": file})
		if x.Status != "completed" || x.Result != float64(rows) || d.rowsBehind(x.Artifacts[0].URL) != rows {
			t.Errorf("%d rows: %+v", rows, x)
		}
	}

	const front = "---\nname: workbook\ndescription: Makes a workbook\n---\n"
	changed := packed(t, skillMD(front), member{name: "main.py", content: "raise ValueError('changed')"})
	if status, text, _ := d.Do("POST", "/skills", profile, "application/zip", changed); status != http.StatusCreated {
		t.Fatalf("%d %s", status, text)
	}
	d.refuses(profile, "workbook@2", file, "skill_not_approved")
	approve(2)
	if x := d.run(profile, map[string]any{"skill": "workbook"}); x.Status != "error" {
		t.Errorf("the second version: %+v", x)
	}
	phone.Open("/ui/skills/workbook")
	phone.Says("#versions tbody tr:nth-child(1) .runs", "1 run, 1 failed (100%)")
	phone.Says("#versions tbody tr:nth-child(2) .runs", "2 runs")
	phone.Until(`!document.querySelector("#versions tbody tr:nth-child(2) .runs").innerText.includes("failed") &&
		!document.querySelector("#missing")`)

	lacking := packed(t, skillMD(front), member{name: "main.py", content: "import json, not_there\n"},
		member{name: "requirements.txt", content: "Not.Here>=1\n"})
	if status, text, _ := d.Do("POST", "/skills", profile, "application/zip", lacking); status != http.StatusCreated {
		t.Fatalf("%d %s", status, text)
	}
	phone.Open("/ui/skills/workbook")
	phone.Says("#missing", "not-here, not_there")
}

// rowsBehind counts the rows of a workbook by its link.
func (d filesDesk) rowsBehind(link string) int {
	d.T.Helper()
	status, content, header := d.do("GET", link, "", nil)
	if status != http.StatusOK || !strings.Contains(header.Get("Content-Disposition"), "orders.xlsx") {
		d.T.Fatalf("%d %v", status, header)
	}
	book, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	e2e.Must(d.T, err)
	sheet, err := book.Open("xl/worksheets/sheet1.xml")
	e2e.Must(d.T, err)
	text, err := io.ReadAll(sheet)
	e2e.Must(d.T, err)
	return bytes.Count(text, []byte("<row>"))
}

func (d filesDesk) refuses(profile, skill string, files map[string]string, code string) {
	d.T.Helper()
	body, err := json.Marshal(map[string]any{"skill": skill, "files": files})
	e2e.Must(d.T, err)
	status, text, _ := d.do("POST", "/execute", profile, body)
	if status < 400 || !bytes.Contains(text, []byte(`"`+code+`"`)) {
		d.T.Errorf("%s: %d %s, want %s", skill, status, text, code)
	}
}
