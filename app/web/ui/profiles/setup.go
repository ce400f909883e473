package profiles

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
)

// setup is a submitted form of an unlocked profile. It applies valid fields and collects problems,
// so that a mistyped host doesn't cost typed secrets: those are never sent back.
type setup struct {
	h       Handlers
	c       echo.Context // whose form holds the files
	by      app.Actor
	fields  url.Values
	profile app.Profile
	review  bool // leads to the lock; nothing may stay open
	wrong   components.Problems
	notice  string // what a person should know about a new credential; "" if nothing
}

func (h Handlers) setUpProfile(c echo.Context, p app.Profile, fields url.Values) error {
	if p.State(h.Now()) != app.StateUnlocked {
		return h.refuseProfile(c, p.Handle, p.CanChangeKeys(h.Now()))
	}
	f := &setup{
		h: h, c: c, by: uix.Actor(c), fields: fields, profile: p, review: fields.Get("do") == "review",
		wrong: components.Problems{},
	}
	if err := f.apply(c.Request().Context()); err != nil {
		return err
	}
	if len(f.wrong) > 0 {
		return h.showProfileAgain(c, p.Handle, f.keep)
	}
	if f.review {
		return h.Done(c, f.notice, paths.At(paths.ProfileLock, p.Handle))
	}
	return h.Done(c, cmp.Or(f.notice, "profile-saved"), paths.ProfileURL(p.Handle))
}

// apply applies the form. It returns only errors that the person can't solve.
func (f *setup) apply(ctx context.Context) error {
	removed, removing := strings.CutPrefix(f.fields.Get("do"), "remove ")
	for _, k := range f.profile.Keys {
		var err error
		if removing && k.Name == removed {
			_, err = f.h.Access.Keys.Remove(ctx, f.by, f.profile.Handle, k.Name)
			err = f.note(err, "", nil)
		} else if f.fields.Has(profileview.LinkField(k.Name)) {
			err = f.applyKey(ctx, k)
		}
		if err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context) error{f.addKey, f.applyHosts, f.applyExpiry} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// note puts an error beside its field, and returns one without a field. fields names the fields;
// other takes the rest.
func (f *setup) note(err error, other string, fields map[string]string) error {
	if err == nil {
		return nil
	}
	found, err := uix.Problems(err, fields)
	if err != nil {
		return err
	}
	for field, message := range found {
		if field == "" {
			field = other
		}
		f.wrong[field] = message
	}
	return nil
}

func (f *setup) applyKey(ctx context.Context, k app.Key) error {
	link := f.fields.Get(profileview.LinkField(k.Name))
	if !f.saw(k) {
		field := profileview.LinkField(k.Name)
		if link == profileview.LinkNew {
			field = profileview.ValueField(k.Name)
		}
		f.wrong[field] = "The agent changed this key. Check it, then give the value again."
		return nil
	}
	if link == profileview.LinkNew {
		name, err := f.newCredential(ctx, k)
		if err != nil || name == "" {
			return err
		}
		link = name
	}
	if link == "" && f.review {
		f.wrong[profileview.LinkField(k.Name)] = "Choose a credential or type a value, or remove the key."
		return nil
	}
	if link == k.Credential {
		return nil
	}
	_, err := f.h.Access.Keys.Link(ctx, f.by, f.profile.Handle, k.Name, link)
	if app.CodeOf(err) == app.CodeNotFound { // of the credential, since the key is there
		f.wrong[profileview.LinkField(k.Name)] = "This credential is not there any more. Choose another."
		return nil
	}
	return f.note(err, profileview.LinkField(k.Name), nil)
}

// saw reports whether the form showed the key as it is requested now.
func (f *setup) saw(k app.Key) bool {
	return f.fields.Get(profileview.AskedField(k.Name)) == profileview.RequestID(k)
}

// newCredential stores a key's typed value and returns its credential's name. "": nothing typed, or
// refused.
func (f *setup) newCredential(ctx context.Context, k app.Key) (string, error) {
	in := credentials.Input{
		Name: strings.TrimSpace(f.fields.Get(profileview.NameField(k.Name))),
		Mode: app.Mode(f.fields.Get(components.ModeField(k.Name))),
	}
	var err error
	in.Value, err = uix.GivenValue(f.c, f.fields, profileview.ValueField(k.Name), profileview.FileField(k.Name))
	switch {
	case err != nil:
		return "", f.note(err, profileview.FileField(k.Name), nil)
	case in.Value.Empty():
		if f.review {
			f.wrong[profileview.ValueField(k.Name)] = "Give the value, or choose a credential."
		}
		return "", nil
	case in.Mode == "":
		f.wrong[components.ModeField(k.Name)] = "Choose how scripts receive it."
		return "", nil
	}
	if in.Mode == app.ModeSealed { // other modes don't show the field
		in.Hosts, err = uix.ParseHosts(f.fields.Get(components.HostsField(k.Name)), nil)
	}
	if err == nil {
		var made app.Credential
		if made, err = f.h.Access.Credentials.Create(ctx, f.by, in); err == nil {
			notice := uix.CredentialNotice(made, in.Value, "")
			if _, warns := uix.Notice(notice); warns {
				f.notice = cmp.Or(f.notice, notice)
			}
		}
	}
	if err == nil {
		return in.Name, nil
	}
	return "", f.note(err, profileview.NameField(k.Name), map[string]string{
		"name": profileview.NameField(k.Name), "value": profileview.ValueField(k.Name),
		"mode": components.ModeField(k.Name),
		"host": components.HostsField(k.Name), "hosts": components.HostsField(k.Name),
	})
}

func (f *setup) addKey(ctx context.Context) error {
	name := strings.TrimSpace(f.fields.Get("new_key"))
	if name == "" {
		return nil
	}
	for _, k := range f.profile.Keys {
		if k.Name == name {
			f.wrong["new_key"] = "The profile has this key already."
			return nil
		}
	}
	_, err := f.h.Access.Keys.Add(ctx, f.by, f.profile.Handle, []app.Key{
		{Name: name, Description: strings.TrimSpace(f.fields.Get("new_key_note"))},
	})
	return f.note(err, "new_key", map[string]string{"name": "new_key", "keys": "new_key", "description": "new_key"})
}

func (f *setup) applyHosts(ctx context.Context) error {
	fields := map[string]string{"host": "new_host", "hosts": "new_host"}
	chosen, err := readHosts(f.fields, f.profile)
	if err := f.note(err, "new_host", fields); err != nil {
		return err
	}
	_, err = f.h.Access.Hosts.Set(ctx, f.by, f.profile.Handle, chosen.allowed, nil)
	return f.note(err, "new_host", fields)
}

func (f *setup) applyExpiry(ctx context.Context) error {
	at, err := parseExpiry(expiryForm(f.fields), f.profile.ExpiresAt, f.h.Now())
	if err == nil && !at.Equal(f.profile.ExpiresAt) {
		_, err = f.h.Access.Lifecycle.SetExpiry(ctx, f.by, f.profile.Handle, at)
	}
	return f.note(err, "expiry", expiryFields())
}

// keep puts typed fields back into the form, except values: those stay in the browser. It drops
// fields of changed keys.
func (f *setup) keep(page *profileview.ProfilePage) {
	page.Problems, page.Partly = f.wrong, true
	for i, k := range page.Keys {
		if k.Key.CredentialID != "" || !f.fields.Has(profileview.LinkField(k.Key.Name)) || !f.saw(k.Key) {
			continue
		}
		page.Keys[i].Link = f.fields.Get(profileview.LinkField(k.Key.Name))
		page.Keys[i].NewName = f.fields.Get(profileview.NameField(k.Key.Name))
		page.Keys[i].Mode = app.Mode(f.fields.Get(components.ModeField(k.Key.Name)))
		page.Keys[i].Hosts = f.fields.Get(components.HostsField(k.Key.Name))
	}
	if f.wrong.Of("new_key") != "" {
		page.NewKey, page.NewKeyNote = f.fields.Get("new_key"), f.fields.Get("new_key_note")
	}
	if f.wrong.Of("new_host") != "" {
		keepTicks(page, f.fields)
	}
	keepHost(page, f.fields)
	if f.wrong.Of("expiry")+f.wrong.Of("expiry_date") != "" {
		page.Expiry = expiryForm(f.fields)
	}
}

func keepHost(page *profileview.ProfilePage, fields url.Values) {
	if page.Problems.Of("new_host") != "" {
		page.NewHost, page.NewPrivate = fields.Get("new_host"), fields.Get("new_private") != ""
		page.NewProtocol = fields.Get("new_protocol")
	}
}
