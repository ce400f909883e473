// A refused form loses nothing. The server never sends secrets and files back, so the script keeps
// them while the answer replaces the page, and puts them into its fields again. It stores nothing.
let keptFields = null;
document.addEventListener("htmx:before:swap", (event) => {
  const { sourceElement: source, response } = event.detail.ctx;
  const status = response?.raw.status;
  const refused = status === 422 && source?.matches?.("form");
  if (!refused && !(status === 200 && source?.matches?.("a[data-keep]"))) return;
  keptFields = [...document.querySelectorAll("main :is(input:not([type=hidden]), textarea, select)")]
    // The answer has all other fields of the form that was sent.
    .filter((field) => !(refused && source.contains(field)) || field.matches(".secret, [type=password], [type=file]"))
    .filter(changed)
    .map((field) => ({ field, action: field.form?.getAttribute("action"), request: requestOf(field) }));
});
document.addEventListener("htmx:after:swap", () => {
  if (!keptFields) return;
  for (const kept of keptFields) restore(kept);
  keptFields = null;
  const line = document.querySelector("main .errors a[data-line]");
  if (line) return selectLine(line);
  const list = document.querySelector("main .errors");
  if (list && list.querySelectorAll("a").length !== 1) list.focus(); // a single mistake is beside its field
  else focusField(document.querySelector("main .field-error"));
});

function changed(field) {
  if (field.matches("select")) return !field.selectedOptions[0]?.defaultSelected;
  if (field.matches("[type=file]")) return field.files.length > 0;
  return edited(field);
}

function edited(field) {
  return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
}

function restore({ field: old, action, request }) {
  const same = [...document.getElementsByName(old.name)].find((field) =>
    field.form?.getAttribute("action") === action && field.type === old.type &&
    (old.type !== "radio" || field.value === old.value));
  if (!same || requestOf(same) !== request) return;
  if (same.matches(".secret") && !same.checkVisibility()) return; // its value has been saved
  if (old.type === "file") {
    same.files = old.files;
    showChosenFile(same);
  } else if (old.type === "radio" || old.type === "checkbox") same.checked = old.checked;
  else same.value = old.value;
}

// requestOf returns what the agent requested in the row of a field. What a person typed or ticked
// was meant for that request alone.
function requestOf(field) {
  const [, row] = field.name.match(/^(?:allow|private|protocol)\.(\d+)$/) ?? [];
  const [, key] = field.name.match(/^(?:link|value|file|name|mode|hosts)\.(.+)$/) ?? [];
  return field.form?.elements[row ? `host.${row}` : `asked.${key}`]?.value;
}
