// Confirmation. A form or button with data-confirm asks before the form is sent.
let confirmedForm = null;
document.addEventListener("submit", (event) => {
  const form = event.target;
  const source = [event.submitter, form].find((element) => element?.dataset?.confirm);
  if (!source || confirmedForm === form) {
    confirmedForm = null;
    return;
  }
  cancel(event);
  askToConfirm(source.dataset, () => {
    confirmedForm = form;
    form.requestSubmit(event.submitter);
  });
}, true);

function askToConfirm({ confirm, because, action }, then) {
  const dialog = document.getElementById("confirm");
  if (!dialog) return then();
  dialog.querySelector("h2").textContent = confirm;
  dialog.querySelector("p").textContent = because || "";
  dialog.querySelector("[value=yes]").textContent = action || "Continue";
  dialog.returnValue = "";
  dialog.addEventListener("close", () => { if (dialog.returnValue === "yes") then(); }, { once: true });
  dialog.showModal();
}
