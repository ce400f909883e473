// A refused form loses nothing. The server never sends secrets and files back, so they stay here while the answer takes the page's place, and are put into its fields again. Nothing of it is stored.
let typedBefore = null;
document.addEventListener("htmx:before:swap", (event) => {
  const { ctx } = event.detail;
  const status = ctx.response?.raw.status;
  const refused = status === 422 && ctx.sourceElement?.matches?.("form");
  if (!refused && !(status === 200 && ctx.sourceElement?.matches?.("a[data-keep]"))) return;
  const own = refused ? ctx.sourceElement : null; // of the form that was sent the answer knows all but this
  typedBefore = [...document.querySelectorAll("main :is(input:not([type=hidden]), textarea, select)")]
    .filter((field) => !own?.contains(field) || field.matches(".secret, [type=password], [type=file]"))
    .filter((field) => field.matches("select") ? !field.selectedOptions[0]?.defaultSelected : field.matches("[type=file]") ? field.files.length : field.value !== field.defaultValue || field.checked !== field.defaultChecked)
    .map((field) => ({ form: field.form?.getAttribute("action"), asked: askedOf(field), field }));
});
document.addEventListener("htmx:after:swap", () => {
  if (!typedBefore) return;
  const all = typedBefore;
  typedBefore = null;
  for (const { form, asked, field: old } of all) {
    const same = [...document.getElementsByName(old.name)].find((field) => field.form?.getAttribute("action") === form && field.type === old.type && (old.type !== "radio" || field.value === old.value));
    if (!same || askedOf(same) !== asked || same.matches(".secret") && !same.checkVisibility()) continue; // what was saved needs no value any more
    if (old.type === "file") { same.files = old.files; shown(same); }
    else if (old.type === "radio" || old.type === "checkbox") same.checked = old.checked;
    else same.value = old.value;
  }
  const line = document.querySelector("main .errors a[data-line]");
  if (line) return mark(line);
  const list = document.querySelector("main .errors");
  if (list && list.querySelectorAll("a").length !== 1) list.focus(); // the list first: one mistake is beside its field
  else point(document.querySelector("main .wrong"));
});

// A field for a file beside another field is a button until a file is chosen; its name then takes the line.
function shown(field) {
  field.closest(".line .file")?.classList.toggle("chosen", field.files.length > 0);
}
document.addEventListener("change", (event) => {
  if (event.target.matches?.("[type=file]")) shown(event.target);
});

// mark selects the line of a text that a message is about.
function mark(link) {
  const text = document.getElementById(link.hash.slice(1));
  const lines = text.value.split("\n");
  const from = lines.slice(0, link.dataset.line - 1).join("\n").length + (link.dataset.line > 1);
  text.focus();
  text.setSelectionRange(from, from + (lines[link.dataset.line - 1] ?? "").length);
  text.scrollTop = text.scrollHeight * Math.max(0, link.dataset.line - 3) / lines.length;
}

// What is typed or ticked beside a host or a key was meant for what the agent asked there.
function askedOf(field) {
  const [, row] = field.name.match(/^(?:allow|private|protocol)\.(\d+)$/) ?? [];
  const [, key] = field.name.match(/^(?:link|value|file|name|mode|hosts)\.(.+)$/) ?? [];
  return field.form?.elements[row ? `host.${row}` : `asked.${key}`]?.value;
}

// The first thing that is wrong, or the one that a link in the list names, gets the focus, in sight of its message.
function point(message) {
  if (!message) return;
  for (let fold = message.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  const place = document.querySelector(`main [aria-describedby~="${CSS.escape(message.id)}"]`);
  const field = place?.matches("fieldset") ? place.querySelector("input:not(:disabled)") : place;
  field?.focus({ preventScroll: true });
  (place || message).scrollIntoView({ block: "center" });
}
document.addEventListener("click", (event) => {
  const link = event.target.closest?.(".errors a[href^='#']");
  const place = link && document.getElementById(link.hash.slice(1));
  if (!place) return;
  event.preventDefault();
  if (link.dataset.line) mark(link);
  else point(place);
});
