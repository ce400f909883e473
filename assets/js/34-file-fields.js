// A field for a file beside another field is a button until a file is chosen. Then the name of the
// file takes the line.
function showChosenFile(field) {
  field.closest(".line .file")?.classList.toggle("chosen", field.files.length > 0);
}
document.addEventListener("change", (event) => {
  if (event.target.matches?.("[type=file]")) showChosenFile(event.target);
});
