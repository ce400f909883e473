// What the last action did is told in a corner, without taking the focus; it goes by itself unless somebody is reading it.
function tell() {
  for (const notice of document.querySelectorAll(".told:not([data-told])")) {
    notice.dataset.told = "";
    let timer = 0;
    const leave = () => { timer = setTimeout(() => notice.remove(), 10000); };
    for (const name of ["pointerenter", "focusin"]) notice.addEventListener(name, () => clearTimeout(timer));
    for (const name of ["pointerleave", "focusout"]) notice.addEventListener(name, leave);
    notice.querySelector("button")?.addEventListener("click", () => notice.remove());
    leave();
  }
}
document.addEventListener("htmx:after:swap", tell);

// A session that is over in the middle of a form: what was typed stays, and a line says how to go on.
document.addEventListener("htmx:before:swap", (event) => {
  const ctx = event.detail?.ctx;
  if (ctx?.response?.raw?.status !== 401) return;
  event.preventDefault();
  const place = document.getElementById("trouble");
  if (!place) return;
  place.hidden = false;
  place.querySelector("span").innerHTML = "";
  const link = document.createElement("a");
  link.href = "/ui/login";
  link.target = "_blank";
  link.textContent = "Log in in another tab";
  place.querySelector("span").append("Your session is over, so nothing was saved. What you typed is still here. ", link, ", then send it again.");
  place.scrollIntoView({ block: "center" });
});
tell();
