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
