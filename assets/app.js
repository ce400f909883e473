// What pages do beyond HTML. Nothing here is needed to use Airlock: every link and form works without it.
(() => {
  "use strict";
  const root = document.documentElement;
  root.dataset.js = "";

  // Copying. Over plain HTTP browsers offer no clipboard API, so the fallback selects a field and uses the old command.
  async function copy(text) {
    if (navigator.clipboard) {
      try {
        await navigator.clipboard.writeText(text);
        return true;
      } catch { /* refused; try the other way */ }
    }
    const field = document.createElement("textarea");
    field.value = text;
    field.readOnly = true;
    field.className = "vh";
    const before = document.activeElement;
    (document.querySelector("dialog[open]") || document.body).append(field);
    field.select();
    let ok = false;
    try { ok = document.execCommand("copy"); } catch { /* stays false */ }
    field.remove();
    before?.focus?.({ preventScroll: true });
    return ok;
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    if (!source || !(await copy(source.textContent))) {
      if (source) getSelection().selectAllChildren(source);
      return;
    }
    button.classList.add("done");
    say("Copied");
    clearTimeout(button.timer);
    button.timer = setTimeout(() => button.classList.remove("done"), 1600);
  });

  // say tells people who listen to the page what just happened.
  function say(text) {
    const place = document.getElementById("said");
    if (place) place.textContent = text;
  }

  // Times: the server writes them as of the response; here they keep up, with the exact time in the viewer's zone on hover.
  const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  function relative(seconds) {
    const size = Math.abs(seconds);
    if (size < 5) return "just now";
    const [unit, length] = units.find(([, l]) => size >= l);
    const n = Math.floor(size / length);
    const words = `${n} ${unit}${n === 1 ? "" : "s"}`;
    return seconds < 0 ? `in ${words}` : `${words} ago`;
  }
  const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
  function clock() {
    for (const place of document.querySelectorAll("time[data-ago]")) {
      const at = new Date(place.dateTime);
      set(place, relative(Math.round((Date.now() - at) / 1000)));
      place.title = exact.format(at);
    }
    for (const place of document.querySelectorAll("time[data-since]")) {
      const seconds = Math.max(0, Math.floor((Date.now() - new Date(place.dateTime)) / 1000));
      set(place, seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`);
    }
  }
  function set(place, text) {
    if (place.textContent !== text) place.textContent = text;
  }
  setInterval(clock, 1000);

  // Confirmation. A form or button with data-confirm asks first.
  let answered = null;
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const asker = event.submitter?.dataset.confirm ? event.submitter : form.dataset?.confirm ? form : null;
    if (!asker || answered === form) {
      answered = null;
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    ask(asker.dataset, () => {
      answered = form;
      form.requestSubmit(event.submitter);
    });
  }, true);

  function ask(words, yes) {
    const dialog = document.getElementById("confirm");
    if (!dialog) return yes();
    dialog.querySelector("h2").textContent = words.confirm;
    dialog.querySelector("p").textContent = words.because || "";
    const button = dialog.querySelector("[value=yes]");
    button.textContent = words.action || "Continue";
    dialog.returnValue = "";
    dialog.addEventListener("close", () => { if (dialog.returnValue === "yes") yes(); }, { once: true });
    dialog.showModal();
  }

  // A form is never changed under somebody's hands; a line says that there is news.
  document.addEventListener("htmx:sse:after:message", (event) => {
    const topic = event.detail?.message?.event;
    for (const line of document.querySelectorAll("[data-changed]")) {
      if (line.dataset.changed === topic) line.hidden = false;
    }
  });

  // Filters apply when they change.
  document.addEventListener("change", (event) => {
    if (event.target.matches("form[data-apply] select")) event.target.form.requestSubmit();
  });

  // A page change within the app starts at its top, at its heading, like any other.
  document.addEventListener("htmx:after:history:update", () => { arrived = true; });
  let arrived = false;
  document.addEventListener("htmx:after:swap", settle);
  document.addEventListener("htmx:after:settle", settle);
  function settle() {
    clock();
    if (!arrived) return;
    arrived = false;
    if (!location.hash) scrollTo(0, 0);
    document.getElementById("main")?.focus({ preventScroll: true });
  }

  // A broken connection is told, not hidden.
  const stale = "The live connection is interrupted. What you see may be out of date; reload to be sure.";
  const failed = "That did not reach Airlock, so nothing was changed. Try again.";
  function trouble(text) {
    const place = document.getElementById("trouble");
    if (!place) return;
    place.hidden = !text;
    if (text) set(place.querySelector("span"), text);
  }
  document.addEventListener("htmx:sse:error", () => trouble(stale));
  document.addEventListener("htmx:sse:after:connection", () => trouble(""));
  document.addEventListener("htmx:error", (event) => {
    trouble(event.detail?.ctx?.sourceElement?.matches?.("form, a") ? failed : stale);
  });

  clock();
})();
