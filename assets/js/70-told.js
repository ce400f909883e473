// What the last action did is told in a corner, without taking the focus; it goes by itself unless somebody is reading it, or it warns of something.
function tell() {
  for (const notice of document.querySelectorAll(".told:not([data-told])")) {
    notice.dataset.told = "";
    let timer = 0;
    const stays = notice.matches(".warns"); // until it was read
    const leave = () => { timer = setTimeout(() => notice.remove(), 10000); };
    for (const name of ["pointerenter", "focusin"]) notice.addEventListener(name, () => clearTimeout(timer));
    for (const name of ["pointerleave", "focusout"]) if (!stays) notice.addEventListener(name, leave);
    notice.querySelector("button")?.addEventListener("click", () => notice.remove());
    if (!stays) leave();
  }
}
document.addEventListener("htmx:after:swap", tell);

// A session that is over in the middle of a form: what was typed stays, and a line says how to go on. It is found out when the form is sent, or before, when the page asks for
// something by itself; that leads to the login only where nothing was typed.
document.addEventListener("htmx:before:swap", (event) => {
  if (event.detail?.ctx?.response?.raw?.status !== 401) return;
  event.preventDefault();
  sessionOver("Your session expired and nothing was saved. What you typed is still here. ", ", then send it again.");
  document.getElementById("trouble")?.scrollIntoView({ block: "center" });
});
document.addEventListener("htmx:before:response", (event) => {
  const ctx = event.detail?.ctx;
  if (ctx?.response?.raw?.status !== 401 || ctx.sourceElement?.matches?.("a, form") || !typed()) return;
  event.preventDefault();
  sessionOver("Your session expired. What you typed is still here. ", ", then go on.");
});

function typed() {
  return [...document.querySelectorAll("main :is(input:not([type=hidden]), textarea)")].some((field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked);
}

function sessionOver(before, after) {
  const place = document.getElementById("trouble");
  if (!place) return;
  place.hidden = false;
  place.dataset.over = "";
  const link = document.createElement("a");
  link.href = "/ui/login";
  link.target = "_blank";
  link.textContent = "Log in in another tab";
  place.querySelector("span").replaceChildren(before, link, after);
}
tell();
