package api

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
)

type keyInput struct {
	Name        string      `in:"name,required"`
	Description string      `in:"description"`
	Mode        string      `in:"mode"`
	Hosts       []hostInput `in:"hosts"`
}

func readKeys(in []keyInput) ([]app.Key, error) {
	if len(in) == 0 || len(in) > app.MaxKeys {
		return nil, httpx.FieldError(app.CodeInvalidField, "keys",
			fmt.Sprintf("keys must have 1 to %d items", app.MaxKeys),
			`Send {"keys":[{"name":"API_KEY","description":"what it is for"}]}.`)
	}
	names := map[string]bool{}
	keys := make([]app.Key, len(in))
	for i, k := range in {
		path := fmt.Sprintf("keys[%d]", i)
		if err := app.CheckName(k.Name); err != nil {
			return nil, httpx.AtField(path+".name", err)
		}
		if names[k.Name] {
			return nil, httpx.FieldError(app.CodeInvalidField, path+".name",
				"the key "+k.Name+" is given twice", "Give each key once.")
		}
		names[k.Name] = true
		if err := app.CheckText("description", k.Description, app.MaxDescription); err != nil {
			return nil, httpx.AtField(path+".description", err)
		}
		keys[i] = app.Key{Name: k.Name, Description: k.Description}
		if k.Mode != "" {
			mode, err := app.ParseMode(k.Mode)
			if err != nil {
				return nil, httpx.AtField(path+".mode", err)
			}
			keys[i].Mode = mode
		}
		if len(k.Hosts) > app.MaxHosts {
			return nil, httpx.FieldError(app.CodeInvalidField, path+".hosts",
				fmt.Sprintf("%s.hosts has more than %d items", path, app.MaxHosts), "Name fewer hosts.")
		}
		for _, h := range k.Hosts {
			keys[i].Hosts = append(keys[i].Hosts, h.host)
		}
	}
	return keys, nil
}

// hostInput is a host as an agent writes it: "api.example.com", "db.example.com:5432", or an
// object.
type hostInput struct{ host app.Host }

// BindJSON implements httpx.JSONBinder.
func (h *hostInput) BindJSON(raw json.RawMessage, path string) error {
	if httpx.KindOf(raw) == "a string" {
		var text string
		if err := httpx.BindJSON(raw, &text, path); err != nil {
			return err
		}
		host, err := app.ParseHost(text)
		h.host = host
		return httpx.AtField(path, err)
	}
	var in struct {
		Host     string `in:"host,required"`
		Ports    []int  `in:"ports"`
		Protocol string `in:"protocol"`
		Reason   string `in:"reason"`
	}
	if httpx.KindOf(raw) != "an object" {
		return httpx.WrongType(path, "a string or an object", raw)
	}
	if err := httpx.BindJSON(raw, &in, path); err != nil {
		return err
	}
	host, err := app.ParseHost(in.Host)
	switch withPort := err == nil && strings.LastIndex(in.Host, ":") > strings.LastIndex(in.Host, "]"); {
	case len(in.Ports) > 0 && withPort:
		return httpx.FieldError(app.CodeInvalidField, path+".host",
			path+".host has a port, and there are ports besides",
			"Write ports in one place: host with its port, or host alone and ports.")
	case len(in.Ports) > 0 && err == nil:
		host.Ports = in.Ports
	case len(in.Ports) > 0: // beside ports an IPv6 address needs no brackets
		host = app.Host{Name: in.Host, Ports: in.Ports}
	case err != nil:
		return httpx.AtField(path+".host", err)
	}
	host.Protocol, host.Reason = app.Protocol(in.Protocol), in.Reason
	h.host, err = host.Canonical()
	return httpx.InField(path, err)
}
