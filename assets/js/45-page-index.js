// The index of a long page marks the section that is being read.
function markCurrentSection() {
  const index = document.querySelector(".index");
  if (!index) return;
  const section = (link) => document.getElementById(link.hash.slice(1));
  const links = [...index.querySelectorAll("a")].filter(section);
  const above = links.filter((link) => section(link).getBoundingClientRect().top <= 96);
  const atEnd = scrollY > 0 && innerHeight + scrollY >= root.scrollHeight - 2;
  const current = atEnd ? links.find((link) => link.hash === location.hash) || links.at(-1) : above.at(-1);
  for (const link of links) {
    if (link !== current) link.removeAttribute("aria-current");
    else if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "location");
      index.scrollTo({ left: link.offsetLeft - index.offsetLeft - 16 });
    }
  }
}
let frame = 0;
addEventListener("scroll", () => {
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    markCurrentSection();
  });
}, { passive: true });
