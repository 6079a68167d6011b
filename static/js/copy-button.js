// A click on any of these copies; what is swapped in later works too.
//
//   <button class="copy" type="button" data-copy="th_01JDX3W8" aria-label="Copy thread id">icon</button>
//   data-copy="text"       that text
//   data-copy-link="href"  that address, made absolute; the message link of key y
//   data-copy-url="href"   what a GET of that address answers, as text: a whole payload
//
// data-done is on the button for a moment after: "copied" or "failed"; its label says so too.

const SHOWN_MS = 1500;
const COPIES = "[data-copy], [data-copy-link], [data-copy-url]";

document.addEventListener("click", (event) => {
  const button = event.target.closest(COPIES);
  if (!button) return;
  event.preventDefault();
  copy(button.dataset).then(
    () => say(button, "copied", "Copied"),
    () => say(button, "failed", "Could not copy"),
  );
});

async function copy({ copy: text, copyLink, copyUrl }) {
  if (copyUrl === undefined) {
    await navigator.clipboard.writeText(text ?? new URL(copyLink, location.href).href);
    return;
  }
  // A promise inside the item keeps the click's permission to write while the text is on its way.
  const item = new ClipboardItem({ "text/plain": fetchText(copyUrl) });
  await navigator.clipboard.write([item]);
}

async function fetchText(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return new Blob([await response.text()], { type: "text/plain" });
}

function say(button, state, words) {
  const label = button.dataset.label ?? button.getAttribute("aria-label") ?? "";
  button.dataset.label = label;
  button.dataset.done = state;
  button.ariaLabel = words;
  setTimeout(() => {
    delete button.dataset.done;
    if (label) button.ariaLabel = label;
    else button.removeAttribute("aria-label");
  }, SHOWN_MS);
}
