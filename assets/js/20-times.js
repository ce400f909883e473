// Times. The server writes them as of the response; here they keep up. Pointing at one shows the
// exact time in the viewer's zone.
const units = [
  ["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1],
];
function relativeTime(seconds) {
  const size = Math.abs(seconds);
  if (size < 5) return "just now";
  const [unit, length] = units.find(([, l]) => size >= l);
  const n = Math.floor(size / length);
  const words = `${n} ${unit}${n === 1 ? "" : "s"}`;
  return seconds < 0 ? `in ${words}` : `${words} ago`;
}
const exactTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
function duration(seconds) {
  return seconds < 60 ? `${seconds}\u00a0s` : `${Math.floor(seconds / 60)}\u00a0min ${seconds % 60}\u00a0s`;
}
function updateTimes() {
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const at = new Date(time.dateTime);
    setText(time, relativeTime(Math.round((Date.now() - at) / 1000)));
    time.title = exactTime.format(at);
  }
  for (const time of document.querySelectorAll("time[data-since]")) {
    setText(time, duration(Math.max(0, Math.floor((Date.now() - new Date(time.dateTime)) / 1000))));
  }
  for (const time of document.querySelectorAll("time[data-left]")) {
    setText(time, duration(Math.max(0, Math.ceil((new Date(time.dateTime) - Date.now()) / 1000))));
  }
}
setInterval(updateTimes, 1000);
