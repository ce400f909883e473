// Passkeys. A form with data-passkey shows only here, and is sent once the browser has filled in what the authenticator signed.
if (window.isSecureContext && window.PublicKeyCredential?.parseRequestOptionsFromJSON) root.dataset.passkeys = "";

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches?.("form[data-passkey]")) return;
  stop(event);
  if (form.ariaBusy) return;
  form.ariaBusy = "true";
  try {
    form.elements.credential.value = JSON.stringify(await askAuthenticator(form.dataset));
    form.submit();
  } catch (error) {
    const place = form.querySelector(".wrong");
    place.hidden = false;
    set(place.querySelector("span"), error.cause === "words" ? error.message
      : error.name === "InvalidStateError" ? "This device has a passkey for you already."
        : "The browser used no passkey. Try again, or use your password.");
  } finally {
    form.ariaBusy = null;
  }
}, true);

async function askAuthenticator({ passkey, origin, options }) {
  const said = (words) => new Error(words, { cause: "words" });
  if (location.origin !== origin) throw said("Passkeys work at " + origin + " only. Open Airlock there.");
  const answer = await fetch(options, { headers: { Accept: "application/json" } });
  if (!answer.headers.get("Content-Type")?.startsWith("application/json")) throw said("This took too long. Reload the page, then try again.");
  const { publicKey } = await answer.json();
  return passkey === "create"
    ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) })
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
}
