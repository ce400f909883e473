// Printing.
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) print();
});

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
