package views_test

// tooWide returns a page's excess width and what sticks out, or "".
const tooWide = `(() => {
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over <= 0) return "";
  const out = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll,.code,.index,pre,svg"));
  return over + " px too wide: " + out.slice(-2).map((e) => e.outerHTML.slice(0, 120)).join(" | ");
})()`

// audit returns a page's faults. It runs in the page.
const audit = `(() => {
  const wrong = [];
  const shown = (e) => { const r = e.getBoundingClientRect(); return r.width > 1 && r.height > 1 && getComputedStyle(e).visibility !== "hidden"; };
  const name = (e) => (e.outerHTML || "").slice(0, 120);
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.body.querySelectorAll("*")].filter((e) => shown(e) && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll,.code,.index,pre,svg"));
    wrong.push("wider than the screen: " + wide.slice(-2).map(name).join(" | "));
  }
  for (const e of document.querySelectorAll(".card table, .card form, .card dl, .card ul")) {
    const card = e.closest(".card").getBoundingClientRect(), r = e.getBoundingClientRect();
    if (shown(e) && !e.closest(".scroll") && r.right > card.right + 1) wrong.push("sticks out of its card: " + name(e));
  }
  // Contrast.
  const canvas = document.createElement("canvas"); canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const rgba = (c) => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = c; pen.fillRect(0, 0, 1, 1); return [...pen.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => { const f = (v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }; return .2126 * f(r) + .7152 * f(g) + .0722 * f(b); };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] > 250) return c; } return rgba(getComputedStyle(document.documentElement).colorScheme === "dark" ? "#000" : "#fff"); };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || seen.has(e) || !shown(e) || e.closest("option,svg,script,[disabled]")) continue;
    seen.add(e);
    const r = ratio(rgba(getComputedStyle(e).color), behind(e));
    if (r < 4.5) wrong.push("contrast " + r.toFixed(2) + ": " + name(e));
  }
  for (const e of document.querySelectorAll(".state svg, .notice svg")) {
    if (!shown(e)) continue;
    const r = ratio(rgba(getComputedStyle(e).color), behind(e));
    if (r < 3) wrong.push("state contrast " + r.toFixed(2) + ": " + name(e.parentElement));
  }
  for (const e of document.querySelectorAll("summary")) {
    const drawn = (p) => !["none", "normal"].includes(getComputedStyle(e, p).content);
    if (shown(e) && getComputedStyle(e).display !== "list-item" && !drawn("::before") && !drawn("::after") && !e.querySelector("*")) wrong.push("no sign that it unfolds: " + name(e));
  }
  for (const e of document.querySelectorAll("th.wide")) {
    const inner = e.querySelector(".row-link"), r = inner?.getBoundingClientRect();
    if (inner && shown(e) && getComputedStyle(inner).display !== "inline" && r.right > e.getBoundingClientRect().right + 1) wrong.push("cut off: " + name(e));
  }
  for (const e of document.querySelectorAll(".grant select, .host-options select")) {
    pen.font = getComputedStyle(e).font;
    const s = getComputedStyle(e), room = e.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight);
    if (e.checkVisibility() && pen.measureText(e.selectedOptions[0]?.text ?? "").width > room - 4) wrong.push("chosen option cut off: " + name(e));
  }
  const level = (a, b) => { const p = a.getBoundingClientRect(), q = b.getBoundingClientRect(); return q.height > 1 && p.top < q.bottom && q.top < p.bottom; };
  for (const e of document.querySelectorAll(".rows.fold .last:has(.button)" + (innerWidth > 720 ? ", .filter > .actions, .foot:has(.field) > .button" : ""))) {
    if (shown(e) && ![...e.parentElement.children].some((o) => o !== e && level(e, o))) wrong.push("alone on its line: " + name(e));
  }
  // Names.
  for (const e of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    if (!e.labels?.length && !e.getAttribute("aria-label")) wrong.push("no label: " + name(e));
  }
  for (const e of document.querySelectorAll("button, a[href]")) {
    if (e.closest("[hidden]") || e.getAttribute("aria-hidden")) continue;
    if (!(e.getAttribute("aria-label") || e.textContent).trim()) wrong.push("no name: " + name(e));
  }
  for (const e of document.querySelectorAll("[aria-describedby],[aria-labelledby]")) {
    for (const id of ((e.getAttribute("aria-describedby") || "") + " " + (e.getAttribute("aria-labelledby") || "")).trim().split(/ +/)) {
      if (id && !document.getElementById(id)) wrong.push("points at nothing: " + id);
    }
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of new Set(ids.filter((v, i) => ids.indexOf(v) !== i))) wrong.push("id twice: " + id);
  for (const e of document.querySelectorAll("a[href^='#']")) { if (e.hash.length > 1 && !document.getElementById(decodeURIComponent(e.hash.slice(1)))) wrong.push("leads nowhere: " + name(e)); }
  for (const e of document.querySelectorAll("use")) { if (!document.querySelector(e.getAttribute("href"))) wrong.push("no drawing " + e.getAttribute("href")); }
  if (document.querySelectorAll("h1").length !== 1) wrong.push(document.querySelectorAll("h1").length + " headings of the first level");
  if (document.querySelectorAll("main").length !== 1) wrong.push("not one main");
  for (const t of document.querySelectorAll("table")) if (!t.caption) wrong.push("table without a caption");
  // Targets.
  if (innerWidth < 720) {
    for (const e of document.querySelectorAll("button, .button, input:not([type=hidden],[type=checkbox],[type=radio]), select, textarea, .tab, .choice, .check")) {
      if (!shown(e) || e.closest(".visually-hidden") || e.classList.contains("visually-hidden")) continue;
      const h = e.getBoundingClientRect().height;
      if (h < 40) wrong.push("only " + h + " px high: " + name(e));
    }
  }
  return wrong;
})()`
