package web

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/paths"
)

// TestFlowAFolderIsASkill: choosing or dropping keeps paths and omits tools' leftovers.
func TestFlowAFolderIsASkill(t *testing.T) {
	s := newUISite(t)
	s.login()
	folder := filepath.Join(t.TempDir(), "my totals")
	write := func(path, content string) {
		t.Helper()
		path = filepath.Join(folder, path)
		s.must(os.MkdirAll(filepath.Dir(path), 0o700))
		s.must(os.WriteFile(path, []byte(content), 0o600))
	}
	write("SKILL.md", totals)
	write("main.py", "import lib.größe")
	write("lib/größe.py", "x = 1")
	write(".git/config", "[core]")
	newest := func(number int) skills.Version {
		t.Helper()
		skill, err := s.engine.Skills.Get(t.Context(), "totals")
		s.must(err)
		if len(skill.Versions) != number {
			t.Fatalf("%d versions, want %d", len(skill.Versions), number)
		}
		return skill.Versions[0]
	}
	b := entered(t, s)
	b.Open(paths.Skills)
	b.Do(chromedp.SetUploadFiles(chromedp.CSS("#folder"), []string{folder}))
	b.Click("#upload button")
	b.Says("#files", "lib/größe.py")
	opened, err := s.engine.Skills.Open(t.Context(), newest(1).Digest)
	s.must(err)
	if files := opened.Files; len(files) != 3 || files[0].Path != "SKILL.md" || files[1].Path != "lib/größe.py" ||
		string(files[1].Content) != "x = 1" || files[2].Path != "main.py" {
		t.Errorf("kept %v", files)
	}

	write("main.py", "import lib")
	b.Open(paths.Skills)
	drop(b, "#folder", folder)
	b.Until(`document.querySelector("#folder").files.length >= 3`)
	b.Click("#upload button")
	b.Says("#version-title", "Version 2")
	newest(2)

	archive := filepath.Join(t.TempDir(), "totals.zip")
	s.must(os.WriteFile(archive, []byte(zipped(t, map[string]string{"SKILL.md": totals, "main.py": "3"})), 0o600))
	b.Open(paths.Skills)
	drop(b, "#file", archive)
	b.Click("#upload button")
	b.Says("#version-title", "Version 3")
	newest(3)

	s.must(os.Remove(filepath.Join(folder, "SKILL.md")))
	b.Expect("answer 422")
	b.Expect("422 (Unprocessable Entity)")
	b.Open(paths.Skills)
	b.Do(chromedp.SetUploadFiles(chromedp.CSS("#folder"), []string{folder}))
	b.Click("#upload button")
	b.Says("#file-wrong", "SKILL.md")
	newest(3)
}

// drop drags a file or folder onto an element.
func drop(b *browsertest.Browser, selector, path string) {
	b.Do(chromedp.ScrollIntoView(chromedp.CSS(selector)))
	box := `document.querySelector(` + browsertest.Quoted(selector) + `).getBoundingClientRect()`
	x, _ := strconv.ParseFloat(b.Text(`(r => r.x + r.width / 2)(`+box+`)`), 64)
	y, _ := strconv.ParseFloat(b.Text(`(r => r.y + r.height / 2)(`+box+`)`), 64)
	for _, kind := range []input.DispatchDragEventType{
		input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop,
	} {
		browsertest.Call(b, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: x, Y: y,
			Data: &input.DragData{Items: []*input.DragDataItem{}, Files: []string{path}, DragOperationsMask: 1}})
	}
}
