// Keys. Single ones can be switched off (data-keys on the body), and never count where somebody types.
const places = { o: "", p: "/profiles", c: "/credentials", e: "/executions", i: "/inbox", a: "/audit", s: "/settings" };
let leader = 0;

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
    if (openPalette()) event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || document.body.dataset.keys === "off") return;
  const field = event.target.closest("input, textarea, select, [contenteditable]"); // that of a palette just closed keeps the focus until the page is painted
  if (field?.checkVisibility() || document.querySelector("dialog[open]")) return;
  if (event.key.length === 1 && command(event.key, Date.now() - leader < 1500)) event.preventDefault();
});

function command(key, led) {
  leader = 0;
  if (led && key in places) return follow(document.querySelector(`a[href="/ui${places[key]}"]`));
  switch (key) {
    case "g": leader = Date.now(); return true;
    case "j": return step(1);
    case "k": return step(-1);
    case "c": return follow(document.querySelector("main [data-create]"));
    case "?": return show("keys");
    case "/": return focus(document.querySelector("main [data-search]")) || openPalette();
  }
  return false;
}

function follow(link) {
  link?.click();
  return Boolean(link);
}

function focus(field) {
  field?.focus();
  field?.select?.();
  return Boolean(field);
}

function show(id) {
  const dialog = document.getElementById(id);
  if (!dialog || dialog.open) return Boolean(dialog);
  dialog.showModal();
  return true;
}

// step moves the focus along the links of rows, those of the inbox and of a search too.
function step(by) {
  const links = [...document.querySelectorAll("main :is(.rows tbody tr, .needs li, .found li)")].map((row) => row.querySelector("a:not([tabindex='-1'])")).filter(Boolean);
  if (!links.length) return false;
  const row = document.activeElement?.closest?.("tr, li");
  const at = links.findIndex((link) => row?.contains(link));
  const to = links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)];
  to.focus();
  to.scrollIntoView({ block: "nearest" });
  return true;
}

function openPalette() {
  if (!show("palette")) return false;
  const field = document.getElementById("palette-q");
  field.focus();
  field.select();
  field.dispatchEvent(new Event("palette", { bubbles: true }));
  return true;
}

// Who is quick opens the palette before htmx has looked at its field; then it is asked for once more.
setTimeout(() => { if (document.getElementById("palette")?.open) openPalette(); }); // after the one in which htmx begins

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-palette]") && openPalette()) event.preventDefault();
  if (event.target.closest("[data-help]") && show("keys")) event.preventDefault();
  if (event.target.matches("dialog.palette, dialog.keys")) event.target.close(); // on its backdrop
  if (event.target.closest("#palette-found a")) document.getElementById("palette").close();
});

// Enter in the palette opens the first result; while there is none yet, it leads to the page of the search.
document.addEventListener("submit", (event) => {
  const first = event.target.closest("#palette")?.querySelector("#palette-found a");
  if (!first) return;
  event.preventDefault();
  location.assign(first.href);
}, true);

// Esc closes the palette whatever was typed; by itself the field would only be emptied.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.target.id !== "palette-q" || event.isComposing) return;
  event.preventDefault();
  event.target.closest("dialog").close();
});

// In the palette the focus goes through the results, and typing goes on in the field.
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
