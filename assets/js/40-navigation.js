// A new navigation cancels the one under way, as in any browser. Otherwise its late answer would
// replace the new page, and what was typed there.
let latestRequest = null;
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (ctx.target === document.body) latestRequest = ctx;
});
document.addEventListener("htmx:before:response", (event) => {
  const { ctx } = event.detail;
  if (ctx.target === document.body && ctx !== latestRequest) event.preventDefault();
});

// A double click acts once. Otherwise htmx would send the second request after the first answer.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a.htmx-request");
  if (link && link === latestRequest?.sourceElement) cancel(event);
}, true);
document.addEventListener("submit", (event) => {
  if (event.target.matches(".htmx-request[method=post]")) cancel(event);
}, true);

// A new page starts at its top, with the focus on its content.
let navigated = false;
document.addEventListener("htmx:after:history:update", () => { navigated = true; });
document.addEventListener("htmx:after:swap", showPage);
document.addEventListener("htmx:after:settle", showPage);
function showPage() {
  updateTimes();
  markCurrentSection();
  if (!navigated) return;
  navigated = false;
  if (!location.hash) scrollTo(0, 0);
  const focused = document.activeElement;
  if (focused?.closest("main, dialog") && focused.id !== "main") return; // somebody uses it already
  document.getElementById("main")?.focus({ preventScroll: true });
}
