// The selected message of the reading page: the one that has the focus.
//
//   <article class="msg" id="m-KEY" tabindex="-1" data-item data-turn="3" data-inspector-url="...">
//     <div class="gutter"><a href="/threads/1/messages/KEY/">#5</a></div> ...
//   <aside class="inspector" id="inspector" popover hx-sync="this:replace">
//   <a data-goto href="/threads/1/messages/KEY/">   in the outline, the tasks, the inspector
//   <a data-inspect href="...">                      in a message: opens the inspector for it
//
// Selecting sets aria-current, puts the message's permalink (the gutter's link) in the address bar, marks
// the turn's link (.outline a[data-turn]) and loads data-inspector-url into #inspector while that is
// in view. The message the server marked aria-current="true", and rendered the inspector for, is
// scrolled to on load. a[data-goto] moves to its message without a new page when that message is here.

const SETTLE_MS = 120;
const AIM_FRAMES = 8;
const inspector = document.getElementById("inspector");
let selected = document.querySelector('main .msg[aria-current="true"]');
let inspected = selected?.dataset.inspectorUrl;
let timer = 0;

document.addEventListener("focusin", (event) => {
  const message = event.target.closest("main .msg[data-item]");
  if (message) select(message);
});

// A chip that stands for something only the inspector shows opens it; the click has focused the message.
document.addEventListener("click", (event) => {
  const chip = event.target.closest("a[data-inspect]");
  if (!chip || !inspector || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  document.body.classList.remove("no-inspector");
  if (!inspector.checkVisibility()) inspector.showPopover();
  inspect(chip.closest(".msg"));
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-goto]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const message = messageAt(link.getAttribute("href"));
  if (!message) return;
  event.preventDefault();
  link.closest("[popover]:popover-open")?.hidePopover();
  message.focus({ preventScroll: true });
  reveal(message);
});

inspector?.addEventListener("toggle", () => inspect(selected));

if (selected) {
  // The windows of the last visit are gone, and with them the browser's idea of where that was.
  history.scrollRestoration = "manual";
  reveal(selected);
  markTurn(selected);
}

// Messages get their real heights only when they come near the viewport, and before the first paint the
// browser does not hold the place meanwhile: aim again for a few frames.
function reveal(message, frames = AIM_FRAMES) {
  message.scrollIntoView({ block: "start" });
  if (frames > 0) requestAnimationFrame(() => reveal(message, frames - 1));
}

function messageAt(href) {
  const link = document.querySelector(`main .msg > .gutter a[href="${CSS.escape(href)}"]`);
  return link?.closest(".msg") ?? null;
}

function select(message) {
  if (message === selected) return;
  selected?.removeAttribute("aria-current");
  selected = message;
  message.setAttribute("aria-current", "true");
  const permalink = message.querySelector(".gutter a[href]")?.href;
  if (permalink) history.replaceState(history.state, "", permalink);
  markTurn(message);
  clearTimeout(timer);
  timer = setTimeout(() => inspect(message), SETTLE_MS);
}

function markTurn({ dataset: { turn } }) {
  for (const link of document.querySelectorAll(".outline a[data-turn]")) {
    if (link.dataset.turn === turn) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function inspect(message) {
  const url = message?.dataset.inspectorUrl;
  if (!url || url === inspected || !inspector?.checkVisibility()) return;
  inspected = url;
  htmx
    .ajax("GET", url, { source: inspector, target: inspector, swap: "innerHTML" })
    .catch(() => {
      inspected = "";
    });
}
