// A form is never changed under somebody's hands; a line says that there is news.
document.addEventListener("htmx:sse:after:message", (event) => {
  const topic = event.detail?.message?.event;
  for (const line of document.querySelectorAll("[data-changed]")) {
    if (line.dataset.changed === topic) line.hidden = false;
  }
});

// What a person opened or chose stays so when the page around it is brought up to date.
window.htmx?.registerExtension("keep", {
  htmx_before_morph_attr: (element, { attrName }) => !(attrName === "open" && element.matches("details") || attrName === "checked" && element.matches(".switch input") || attrName === "aria-current" && element.matches(".index a") || attrName === "class" && element.matches("[data-copy].done")),
});

// A broken connection is told, not hidden.
const stale = "The live connection is interrupted. This page may be out of date; reload it.";
const failed = "Airlock didn't answer. Check whether it was done before you try again.";
const refused = "This page couldn't be updated. Reload it to see why.";
const other = "Airlock was updated. Reload the page.";
function trouble(text) {
  const place = document.getElementById("trouble");
  if (!place || text && "over" in place.dataset) return; // that the session is over says more
  delete place.dataset.over;
  place.hidden = !text;
  if (text) set(place.querySelector("span"), text);
}
document.addEventListener("htmx:sse:error", () => trouble(stale));
document.addEventListener("htmx:error", (event) => {
  trouble(event.detail?.ctx?.sourceElement?.matches?.("form, a") ? failed : stale);
});

// The page of an error never gets into a part of another page: what stands there stays, and a line says so.
document.addEventListener("htmx:before:swap", (event) => {
  const { request, response } = event.detail.ctx;
  if (request.headers["HX-Request-Type"] !== "partial" || response.raw.status < 400) return;
  event.preventDefault();
  trouble(refused);
});

// The server tells twice a minute that it lives. A page that hears nothing, or that slept, says that it may be stale and connects anew, which brings it up to date.
const silence = 50000;
let heard = Date.now();
let ticked = Date.now();
document.addEventListener("htmx:sse:after:connection", () => { heard = Date.now(); });
document.addEventListener("htmx:sse:after:message", (event) => {
  heard = Date.now();
  if (event.detail?.message?.event !== "connected") return;
  const version = document.getElementById("live")?.dataset.version;
  trouble(event.detail.message.data && event.detail.message.data !== version ? other : "");
});
function listen() {
  const slept = Date.now() - ticked > silence;
  ticked = Date.now();
  if (document.hidden || !slept && Date.now() - heard < silence) return;
  heard = Date.now();
  trouble(stale);
  const live = document.getElementById("live");
  const stream = live?._htmx?.sse; // there is none yet if the first connection failed
  if (stream) stream.reader?.cancel();
  else if (live) window.htmx?.ajax("GET", live.getAttribute("hx-sse:connect"), { source: live });
}
setInterval(listen, 5000);
addEventListener("online", () => { heard = 0; listen(); });
