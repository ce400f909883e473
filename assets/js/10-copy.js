// Copying. Over plain HTTP browsers offer no clipboard API. Then a field is selected and copied
// with the old command.
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
  field.className = "visually-hidden";
  const focused = document.activeElement;
  (document.querySelector("dialog[open]") || document.body).append(field);
  field.select();
  let ok = false;
  try { ok = document.execCommand("copy"); } catch { /* stays false */ }
  field.remove();
  focused?.focus?.({ preventScroll: true });
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
  announce("Copied");
  clearTimeout(button.timer);
  button.timer = setTimeout(() => button.classList.remove("done"), 1600);
});
