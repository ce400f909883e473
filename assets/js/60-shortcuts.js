// Keyboard shortcuts. Single keys can be switched off (data-keys on the body), and never count
// where somebody types.
const places = {
  o: "", p: "/profiles", c: "/credentials", e: "/executions", i: "/inbox", a: "/audit", s: "/settings",
};
const leaderTimeout = 1500;
let leaderPressed = 0;

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
    if (openPalette()) event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || document.body.dataset.keys === "off") return;
  // The field of a palette that was just closed keeps the focus until the page is painted.
  const field = event.target.closest("input, textarea, select, [contenteditable]");
  if (field?.checkVisibility() || document.querySelector("dialog[open]")) return;
  const afterLeader = Date.now() - leaderPressed < leaderTimeout;
  if (event.key.length === 1 && runShortcut(event.key, afterLeader)) event.preventDefault();
});

// runShortcut returns whether the key was one.
function runShortcut(key, afterLeader) {
  leaderPressed = 0;
  if (afterLeader && key in places) return follow(document.querySelector(`a[href="/ui${places[key]}"]`));
  switch (key) {
    case "g": leaderPressed = Date.now(); return true;
    case "j": return moveFocus(1);
    case "k": return moveFocus(-1);
    case "c": return follow(document.querySelector("main [data-create]"));
    case "?": return openDialog("keys");
    case "/": return focusSearch() || openPalette();
  }
  return false;
}

function follow(link) {
  link?.click();
  return Boolean(link);
}

function focusSearch() {
  const field = document.querySelector("main [data-search]");
  field?.focus();
  field?.select?.();
  return Boolean(field);
}

function openDialog(id) {
  const dialog = document.getElementById(id);
  if (!dialog || dialog.open) return Boolean(dialog);
  dialog.showModal();
  return true;
}

// moveFocus moves the focus along the links of rows, and of the entries of the inbox and of a
// search.
function moveFocus(by) {
  const links = [...document.querySelectorAll("main :is(.rows tbody tr, .inbox-list li, .link-list li)")]
    .map((row) => row.querySelector("a:not([tabindex='-1'])")).filter(Boolean);
  if (!links.length) return false;
  const row = document.activeElement?.closest?.("tr, li");
  const at = links.findIndex((link) => row?.contains(link));
  const to = links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)];
  to.focus();
  to.scrollIntoView({ block: "nearest" });
  return true;
}
