// Filters apply when they change.
document.addEventListener("change", (event) => {
  if (event.target.matches("form[data-apply] select")) event.target.form.requestSubmit();
});
