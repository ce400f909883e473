// The index of a long page marks the section that is being read.
function place() {
  const strip = document.querySelector(".index");
  if (!strip) return;
  const links = [...strip.querySelectorAll("a")].filter((link) => document.getElementById(link.hash.slice(1)));
  const above = links.filter((link) => document.getElementById(link.hash.slice(1)).getBoundingClientRect().top <= 96);
  const end = scrollY > 0 && innerHeight + scrollY >= root.scrollHeight - 2;
  const now = end ? links.find((link) => link.hash === location.hash) || links.at(-1) : above.at(-1);
  for (const link of links) {
    if (link !== now) link.removeAttribute("aria-current");
    else if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "location");
      strip.scrollTo({ left: link.offsetLeft - strip.offsetLeft - 16 });
    }
  }
}
let placing = 0;
addEventListener("scroll", () => { placing ||= requestAnimationFrame(() => { placing = 0; place(); }); }, { passive: true });
