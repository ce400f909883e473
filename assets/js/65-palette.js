// The palette searches everything.
function openPalette() {
  if (!openDialog("palette")) return false;
  const field = document.getElementById("palette-q");
  field.focus();
  field.select();
  field.dispatchEvent(new Event("palette", { bubbles: true }));
  return true;
}

// A quick person opens the palette before htmx has bound its field. The event is then sent again,
// in a timeout after the one in which htmx starts.
setTimeout(() => { if (document.getElementById("palette")?.open) openPalette(); });

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-palette]") && openPalette()) event.preventDefault();
  if (event.target.closest("[data-help]") && openDialog("keys")) event.preventDefault();
  if (event.target.matches("dialog.palette, dialog.keys")) event.target.close(); // on its backdrop
  if (event.target.closest("#palette-found a")) document.getElementById("palette").close();
});

// Enter in the palette opens the first result. While there is none, it opens the search page.
document.addEventListener("submit", (event) => {
  const first = event.target.closest("#palette")?.querySelector("#palette-found a");
  if (!first) return;
  event.preventDefault();
  location.assign(first.href);
}, true);

// Esc closes the palette whatever was typed. Otherwise it would only empty the field.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.target.id !== "palette-q" || event.isComposing) return;
  event.preventDefault();
  event.target.closest("dialog").close();
});

// Arrows move through the results of the palette and back to its field.
document.addEventListener("keydown", (event) => {
  const palette = event.target.closest?.("#palette");
  if (!palette) return;
  const links = [...palette.querySelectorAll("#palette-found a")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "ArrowDown" && links.length) links[Math.min(at + 1, links.length - 1)].focus();
  else if (event.key === "ArrowUp" && at >= 0) (links[at - 1] || document.getElementById("palette-q")).focus();
  else return;
  event.preventDefault();
});
