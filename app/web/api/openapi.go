package api

import (
	"net/http"
	"reflect"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/apidocs"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/app/web/httpx"
)

// views are the types of all answers.
var views = []apidocs.View{
	{Name: "Profile", Type: reflect.TypeFor[profileView]()},
	{Name: "Key", Type: reflect.TypeFor[keyView]()},
	{Name: "Host", Type: reflect.TypeFor[hostView]()},
	{Name: "Accepted", Type: reflect.TypeFor[acceptedView]()},
	{Name: "Execution", Type: reflect.TypeFor[executionView]()},
	{Name: "Executions", Type: reflect.TypeFor[executionsView]()},
	{Name: "Repeat", Type: reflect.TypeFor[rerunView]()},
	{Name: "LLMRequest", Type: reflect.TypeFor[llmView]()},
	{Name: "Timings", Type: reflect.TypeFor[timingsView]()},
	{Name: "Masked", Type: reflect.TypeFor[maskedView]()},
	{Name: "Artifact", Type: reflect.TypeFor[artifactView]()},
	{Name: "Withheld", Type: reflect.TypeFor[withheldView]()},
	{Name: "Connection", Type: reflect.TypeFor[connectionView]()},
	{Name: "File", Type: reflect.TypeFor[fileView]()},
	{Name: "Files", Type: reflect.TypeFor[filesView]()},
	{Name: "Skill", Type: reflect.TypeFor[skillView]()},
	{Name: "Skills", Type: reflect.TypeFor[skillsView]()},
	{Name: "Facts", Type: reflect.TypeFor[bundle.Facts]()},
	{Name: "Finding", Type: reflect.TypeFor[bundle.Finding]()},
	{Name: "Health", Type: reflect.TypeFor[healthView]()},
	{Name: "Sandbox", Type: reflect.TypeFor[sandboxView]()},
	{Name: "Packages", Type: reflect.TypeFor[packagesView]()},
	{Name: "Runtime", Type: reflect.TypeFor[runtimeView]()},
	{Name: "Package", Type: reflect.TypeFor[packageView]()},
	{Name: "Error", Type: reflect.TypeFor[app.ErrorBody]()},
	{Name: "ErrorDetail", Type: reflect.TypeFor[app.Error]()},
}

// OpenAPI describes the agent API at an address, which may be "".
func OpenAPI(version, url string) ([]byte, error) {
	return apidocs.OpenAPI(version, url, httpx.Statuses(), views)
}

// openAPI answers GET /openapi.json.
func (h *Handlers) openAPI(c echo.Context) error {
	text, err := OpenAPI(h.Version, h.Origins.BaseURL(c.Request()))
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, text)
}
