// A form never changes while somebody fills it in. A line says that there is news.
document.addEventListener("htmx:sse:after:message", (event) => {
  const topic = event.detail?.message?.event;
  for (const line of document.querySelectorAll("[data-changed]")) {
    if (line.dataset.changed === topic) line.hidden = false;
  }
});

// What a person opened or chose stays so when the page around it is updated.
const keptAttributes = {
  open: "details",
  checked: ".segmented input",
  "aria-current": ".index a",
  class: "[data-copy].done",
};
window.htmx?.registerExtension("keep", {
  htmx_before_morph_attr: (element, { attrName }) => {
    const selector = keptAttributes[attrName];
    return !(selector && element.matches(selector));
  },
});

// A broken connection shows at the top of the page.
const interrupted = "The live connection is interrupted. This page may be out of date; reload it.";
const unanswered = "Airlock didn't answer. Check whether it was done before you try again.";
const notUpdated = "This page couldn't be updated. Reload it to see why.";
const newVersion = "Airlock was updated. Reload the page.";
function showAlert(text) {
  const alert = document.getElementById("page-alert");
  if (!alert || text && "expired" in alert.dataset) return; // an expired session matters more
  delete alert.dataset.expired;
  alert.hidden = !text;
  if (text) setText(alert.querySelector("span"), text);
}
document.addEventListener("htmx:sse:error", () => showAlert(interrupted));
document.addEventListener("htmx:error", (event) => {
  showAlert(event.detail?.ctx?.sourceElement?.matches?.("form, a") ? unanswered : interrupted);
});

// An error page never replaces a part of another page. That part stays, and a line says so.
document.addEventListener("htmx:before:swap", (event) => {
  const { request, response } = event.detail.ctx;
  if (request.headers["HX-Request-Type"] !== "partial" || response.raw.status < 400) return;
  event.preventDefault();
  showAlert(notUpdated);
});

// The server sends a heartbeat twice a minute. A page that misses it, or that slept, says that it
// may be out of date and connects again, which updates it.
const silenceLimit = 50000;
let lastMessage = Date.now();
let lastCheck = Date.now();
document.addEventListener("htmx:sse:after:connection", () => { lastMessage = Date.now(); });
document.addEventListener("htmx:sse:after:message", (event) => {
  lastMessage = Date.now();
  const { message } = event.detail ?? {};
  if (message?.event !== "connected") return;
  const version = document.getElementById("live")?.dataset.version;
  showAlert(message.data && message.data !== version ? newVersion : "");
});
function checkConnection() {
  const slept = Date.now() - lastCheck > silenceLimit;
  lastCheck = Date.now();
  if (document.hidden || !slept && Date.now() - lastMessage < silenceLimit) return;
  lastMessage = Date.now();
  showAlert(interrupted);
  const live = document.getElementById("live");
  const stream = live?._htmx?.sse; // there is none yet if the first connection failed
  if (stream) stream.reader?.cancel();
  else if (live) window.htmx?.ajax("GET", live.getAttribute("hx-sse:connect"), { source: live });
}
setInterval(checkConnection, 5000);
addEventListener("online", () => {
  lastMessage = 0;
  checkConnection();
});
