// What pages do beyond HTML. Nothing here is needed to use Airlock: every link and form works without it.
const root = document.documentElement;
root.dataset.js = "";

// say tells people who listen to the page what just happened.
function say(text) {
  const place = document.getElementById("said");
  if (place) place.textContent = text;
}

function set(place, text) {
  if (place.textContent !== text) place.textContent = text;
}
