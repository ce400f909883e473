package credentials

import (
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
)

// Input changes a credential. Zero fields keep the present value. A new credential without Mode is
// sealed if it has hosts, else refused.
type Input struct {
	Name        string
	Description *string
	Service     *string
	Mode        app.Mode
	Hosts       []app.Host
	Places      []app.Place // a new credential has headers
	Headers     []string    // empty, but not nil: the usual ones
	PlainHTTP   *bool
	Value       app.Secret
	Source      app.Source
	Seen        time.Time // UpdatedAt that the person looked at: if it changed since, CodeConflict
	Reference   string    // into Vault, such as secret/data/oracle#password: the value comes from there
}

// onto applies the fields of the input to a credential, but for the value and where it is kept.
func (in Input) onto(c *app.Credential) {
	if in.Description != nil {
		c.Description = *in.Description
	}
	if in.Service != nil {
		c.Service = *in.Service
	}
	if in.Mode != "" {
		c.Mode = in.Mode
	}
	if in.Hosts != nil {
		c.Hosts = in.Hosts
	}
	if in.Places != nil {
		c.Places = in.Places
	}
	if in.Headers != nil {
		c.Headers = in.Headers
	}
	if in.PlainHTTP != nil {
		c.PlainHTTP = *in.PlainHTTP
	}
}

func checkInput(in *Input) error {
	if err := app.CheckName(in.Name); err != nil {
		return err
	}
	if in.Description != nil {
		if err := app.CheckText("description", *in.Description, app.MaxDescription); err != nil {
			return err
		}
	}
	if in.Service != nil {
		if err := app.CheckText("service", *in.Service, app.MaxService); err != nil {
			return err
		}
	}
	if in.Hosts != nil {
		list, err := app.ReachableHosts(in.Hosts)
		if err != nil {
			return err
		}
		for _, h := range list {
			if h.KeyReference() != "" {
				return app.Invalid("hosts",
					fmt.Sprintf("a credential can't belong to %s: references to keys are for profiles", h),
					"Write the host name itself.")
			}
		}
		in.Hosts = list
	}
	if in.Places != nil {
		places, err := app.CanonicalPlaces(in.Places)
		if err != nil {
			return err
		}
		in.Places = places
	}
	if in.Headers != nil {
		headers, err := app.CanonicalHeaders(in.Headers)
		if err != nil {
			return err
		}
		in.Headers = headers
	}
	if in.Mode == "" {
		return nil
	}
	_, err := app.ParseMode(string(in.Mode))
	return err
}

// checkMode refuses a sealed credential without hosts, or with hosts that speak no HTTP.
func checkMode(c app.Credential) error {
	if c.Mode != app.ModeSealed {
		return nil
	}
	if len(c.Hosts) == 0 {
		return app.Invalid("hosts", "a sealed credential needs at least one host",
			"Name the hosts that its value may go to, or choose injected if scripts must have the value itself.")
	}
	for _, h := range c.Hosts {
		if h.Protocol.Raw() {
			return app.Invalid("hosts",
				fmt.Sprintf("a sealed value can't be put into %s connections, as to %s: only into HTTP requests",
					h.Protocol, h),
				"Choose injected for databases and other protocols.")
		}
	}
	return nil
}
