package browsertest

import (
	"context"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// Authenticator is a tab's virtual authenticator with passkeys.
type Authenticator struct {
	b  *Browser
	id webauthn.AuthenticatorID
}

// Authenticator adds a built-in authenticator, as phones and laptops have.
func (b *Browser) Authenticator() *Authenticator {
	b.t.Helper()
	a := &Authenticator{b: b}
	a.do(func(ctx context.Context) error {
		if _, err := chromedp.Call(ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return err
		}
		made, err := chromedp.Call(ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
			Options: &webauthn.VirtualAuthenticatorOptions{
				Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
				HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
			},
		})
		a.id = made.AuthenticatorID
		return err
	})
	return a
}

// Verifies sets whether the authenticator recognises its user.
func (a *Authenticator) Verifies(yes bool) {
	a.b.t.Helper()
	a.do(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, webauthn.SetUserVerified,
			webauthn.SetUserVerifiedParams{AuthenticatorID: a.id, IsUserVerified: yes})
		return err
	})
}

// Claims sets whether answers claim a verified user, true or not.
func (a *Authenticator) Claims(verified bool) {
	a.b.t.Helper()
	a.do(func(ctx context.Context) error {
		bad := !verified
		_, err := chromedp.Call(ctx, webauthn.SetResponseOverrideBits,
			webauthn.SetResponseOverrideBitsParams{AuthenticatorID: a.id, IsBadUV: &bad})
		return err
	})
}

// Count sets every passkey's counter, as a copy may have it.
func (a *Authenticator) Count(n float64) {
	a.b.t.Helper()
	a.do(func(ctx context.Context) error {
		all, err := chromedp.Call(ctx, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: a.id})
		if err != nil {
			return err
		}
		for _, c := range all.Credentials {
			if _, err := chromedp.Call(ctx, webauthn.SetCredentialProperties, webauthn.SetCredentialPropertiesParams{
				AuthenticatorID: a.id, CredentialID: c.CredentialID, SignCount: &n,
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *Authenticator) do(step func(ctx context.Context) error) {
	a.b.t.Helper()
	a.b.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error { return step(ctx) }))
}
