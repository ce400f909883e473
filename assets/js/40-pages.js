// Printing.
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) print();
});

// As in any browser, who goes elsewhere gives up the page that was on its way: it would take the place of the other, and of what was typed there, when it comes.
let latest = null;
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => { if (ctx.target === document.body) latest = ctx; });
document.addEventListener("htmx:before:response", (event) => {
  const { ctx } = event.detail;
  if (ctx.target === document.body && ctx !== latest) event.preventDefault();
});

// A second click of a double click does nothing twice: without this, htmx would send it when the first is answered.
function stop(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a.htmx-request");
  if (link && link === latest?.sourceElement) stop(event);
}, true);
document.addEventListener("submit", (event) => {
  if (event.target.matches(".htmx-request[method=post]")) stop(event);
}, true);

// A page change within the app starts at its top, at its heading, like any other.
document.addEventListener("htmx:after:history:update", () => { arrived = true; });
let arrived = false;
document.addEventListener("htmx:after:swap", settle);
document.addEventListener("htmx:after:settle", settle);
function settle() {
  clock();
  place();
  if (!arrived) return;
  arrived = false;
  if (!location.hash) scrollTo(0, 0);
  const held = document.activeElement;
  if (!held?.closest("main, dialog") || held.id === "main") document.getElementById("main")?.focus({ preventScroll: true }); // never out of somebody's hands
}
