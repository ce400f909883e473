// The result of the last action shows in a corner, without taking the focus. It goes after a while,
// unless somebody is reading it or it is a warning.
const toastTime = 10000;
function startToasts() {
  for (const toast of document.querySelectorAll(".toast:not([data-started])")) {
    toast.dataset.started = "";
    toast.querySelector("button")?.addEventListener("click", () => toast.remove());
    if (toast.matches(".warning")) continue;
    let timer = 0;
    const start = () => { timer = setTimeout(() => toast.remove(), toastTime); };
    for (const name of ["pointerenter", "focusin"]) toast.addEventListener(name, () => clearTimeout(timer));
    for (const name of ["pointerleave", "focusout"]) toast.addEventListener(name, start);
    start();
  }
}
document.addEventListener("htmx:after:swap", startToasts);
