// When a session expires in the middle of a form, what was typed stays, and a line says how to go
// on. The page learns it when the form is sent, or earlier, from a request of its own. That request
// leads to the login only where nothing was typed.
document.addEventListener("htmx:before:swap", (event) => {
  if (event.detail?.ctx?.response?.raw?.status !== 401) return;
  event.preventDefault();
  showSessionExpired(
    "Your session expired and nothing was saved. What you typed is still here. ", ", then send it again.");
  document.getElementById("page-alert")?.scrollIntoView({ block: "center" });
});
document.addEventListener("htmx:before:response", (event) => {
  const ctx = event.detail?.ctx;
  if (ctx?.response?.raw?.status !== 401 || ctx.sourceElement?.matches?.("a, form") || !hasInput()) return;
  event.preventDefault();
  showSessionExpired("Your session expired. What you typed is still here. ", ", then go on.");
});

function hasInput() {
  return [...document.querySelectorAll("main :is(input:not([type=hidden]), textarea)")].some(edited);
}

function showSessionExpired(before, after) {
  const alert = document.getElementById("page-alert");
  if (!alert) return;
  alert.hidden = false;
  alert.dataset.expired = "";
  const link = document.createElement("a");
  link.href = "/ui/login";
  link.target = "_blank";
  link.textContent = "Log in in another tab";
  alert.querySelector("span").replaceChildren(before, link, after);
}
