// Times: the server writes them as of the response; here they keep up, with the exact time in the viewer's zone on hover.
const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
function relative(seconds) {
  const size = Math.abs(seconds);
  if (size < 5) return "just now";
  const [unit, length] = units.find(([, l]) => size >= l);
  const n = Math.floor(size / length);
  const words = `${n} ${unit}${n === 1 ? "" : "s"}`;
  return seconds < 0 ? `in ${words}` : `${words} ago`;
}
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
function span(seconds) {
  return seconds < 60 ? `${seconds}\u00a0s` : `${Math.floor(seconds / 60)}\u00a0min ${seconds % 60}\u00a0s`;
}
function clock() {
  for (const place of document.querySelectorAll("time[data-ago]")) {
    const at = new Date(place.dateTime);
    set(place, relative(Math.round((Date.now() - at) / 1000)));
    place.title = exact.format(at);
  }
  for (const place of document.querySelectorAll("time[data-since]")) {
    const seconds = Math.max(0, Math.floor((Date.now() - new Date(place.dateTime)) / 1000));
    set(place, span(seconds));
  }
  for (const place of document.querySelectorAll("time[data-left]")) {
    set(place, span(Math.max(0, Math.ceil((new Date(place.dateTime) - Date.now()) / 1000))));
  }
}
setInterval(clock, 1000);
