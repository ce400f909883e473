// What pages do beyond HTML. Every link and form works without it.
const root = document.documentElement;
root.dataset.js = "";

// announce tells people with a screen reader what just happened.
function announce(text) {
  const region = document.getElementById("announcements");
  if (region) region.textContent = text;
}

// setText leaves an element alone that has the text already, so that a selection in it stays.
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function cancel(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}
