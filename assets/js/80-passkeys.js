// Passkeys. A form with data-passkey shows only where the browser supports them. It is sent once
// the browser has filled in what the authenticator signed.
if (window.isSecureContext && window.PublicKeyCredential?.parseRequestOptionsFromJSON) root.dataset.passkeys = "";

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches?.("form[data-passkey]")) return;
  cancel(event);
  if (form.ariaBusy) return;
  form.ariaBusy = "true";
  try {
    form.elements.credential.value = JSON.stringify(await askAuthenticator(form.dataset));
    form.submit();
  } catch (error) {
    const message = form.querySelector(".field-error");
    message.hidden = false;
    setText(message.querySelector("span"), passkeyErrorText(error));
  } finally {
    form.ariaBusy = null;
  }
}, true);

class PasskeyError extends Error {}

function passkeyErrorText(error) {
  if (error instanceof PasskeyError) return error.message;
  if (error.name === "InvalidStateError") return "This device has a passkey for you already.";
  return "The browser used no passkey. Try again, or use your password.";
}

async function askAuthenticator({ passkey, origin, options }) {
  if (location.origin !== origin) throw new PasskeyError(`Passkeys work at ${origin} only. Open Airlock there.`);
  const response = await fetch(options, { headers: { Accept: "application/json" } });
  if (!response.headers.get("Content-Type")?.startsWith("application/json")) {
    throw new PasskeyError("This took too long. Reload the page, then try again.");
  }
  const { publicKey } = await response.json();
  return passkey === "create"
    ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) })
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
}
