// Confirmation. A form or button with data-confirm asks first.
let answered = null;
document.addEventListener("submit", (event) => {
  const form = event.target;
  const asker = event.submitter?.dataset.confirm ? event.submitter : form.dataset?.confirm ? form : null;
  if (!asker || answered === form) {
    answered = null;
    return;
  }
  event.preventDefault();
  event.stopImmediatePropagation();
  ask(asker.dataset, () => {
    answered = form;
    form.requestSubmit(event.submitter);
  });
}, true);

function ask(words, yes) {
  const dialog = document.getElementById("confirm");
  if (!dialog) return yes();
  dialog.querySelector("h2").textContent = words.confirm;
  dialog.querySelector("p").textContent = words.because || "";
  const button = dialog.querySelector("[value=yes]");
  button.textContent = words.action || "Continue";
  dialog.returnValue = "";
  dialog.addEventListener("close", () => { if (dialog.returnValue === "yes") yes(); }, { once: true });
  dialog.showModal();
}

// Filters apply when they change.
document.addEventListener("change", (event) => {
  if (event.target.matches("form[data-apply] select")) event.target.form.requestSubmit();
});
