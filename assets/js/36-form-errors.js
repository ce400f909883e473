// selectLine selects the line of a text that an error is about.
function selectLine(link) {
  const text = document.getElementById(link.hash.slice(1));
  const lines = text.value.split("\n");
  const from = lines.slice(0, link.dataset.line - 1).join("\n").length + (link.dataset.line > 1);
  text.focus();
  text.setSelectionRange(from, from + (lines[link.dataset.line - 1] ?? "").length);
  text.scrollTop = text.scrollHeight * Math.max(0, link.dataset.line - 3) / lines.length;
}

// focusField focuses the field that an error is about, with the error in sight.
function focusField(error) {
  if (!error) return;
  for (let fold = error.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  const described = document.querySelector(`main [aria-describedby~="${CSS.escape(error.id)}"]`);
  const field = described?.matches("fieldset") ? described.querySelector("input:not(:disabled)") : described;
  field?.focus({ preventScroll: true });
  (described || error).scrollIntoView({ block: "center" });
}

// A link in the list of errors leads to the field.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.(".errors a[href^='#']");
  const target = link && document.getElementById(link.hash.slice(1));
  if (!target) return;
  event.preventDefault();
  if (link.dataset.line) selectLine(link);
  else focusField(target);
});
