// Keyboard: what a key does is written in the page, so this file knows no page.
//
//   data-key="x"        pressing x clicks this link or button, or focuses this input. "g t" is g, then t.
//                       Looked for in the current item, then in the page, then in the top bar; first visible.
//   data-item           a row or message that j and k stop at
//   data-item="stop"    one that n and p stop at too: an error on the reading page, a change in compare
//   aria-current="true" set on the item that j, k, n, p reached; focus goes to the item itself where it
//                       has a tabindex (messages), else to its first link (rows: Enter opens it)
//   a.sentinel[rel]     clicked when j or k runs out of items
//   .window[data-next-stop], .window[data-previous-stop]
//                       address of the nearest stop outside the live windows, for n and p
//   input[data-single-keys]
//                       the switch that turns all of this off (WCAG 2.1.4); kept in localStorage
//
// Off while typing, with a modifier held, and while the list of keys is open.

const TYPING =
  'input:not([type="radio"], [type="checkbox"]), select, textarea, [contenteditable="true"]';
const PREFIX_MS = 1200;
const STEPS = {
  j: { by: 1, among: "[data-item]" },
  k: { by: -1, among: "[data-item]" },
  n: { by: 1, among: '[data-item="stop"]' },
  p: { by: -1, among: '[data-item="stop"]' },
};

let prefix = "";
let prefixTimer = 0;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest(TYPING)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key.length === 1 && isOn() && press(event.key)) event.preventDefault();
});

const toggle = document.querySelector("input[data-single-keys]");
if (toggle) {
  toggle.checked = isOn();
  toggle.addEventListener("change", () => remember(toggle.checked));
}

function press(key) {
  const pressed = prefix ? `${prefix} ${key}` : key;
  setPrefix("");
  const listOpen = document.querySelector("dialog:popover-open, dialog[open]");
  if (listOpen && key !== "?") return false;
  if (pressed in STEPS) return step(STEPS[pressed]);
  const target = find(pressed);
  if (target) {
    activate(target);
    return true;
  }
  if (document.querySelector(`[data-key^="${CSS.escape(pressed)} "]`)) {
    setPrefix(pressed);
    return true;
  }
  return false;
}

function setPrefix(key) {
  clearTimeout(prefixTimer);
  prefix = key;
  if (key) prefixTimer = setTimeout(() => setPrefix(""), PREFIX_MS);
}

function find(key) {
  const selector = `[data-key="${CSS.escape(key)}"]`;
  const current = document.querySelector('[data-item][aria-current="true"]');
  const outside = (element) => !element.closest("[data-item]");
  const places = [
    [...(current?.querySelectorAll(selector) ?? [])],
    [...document.querySelectorAll(`body > :not(.topbar) ${selector}`)].filter(outside),
    [...document.querySelectorAll(selector)].filter(outside),
  ];
  return places.flat().find((element) => element.checkVisibility());
}

function activate(target) {
  if (!target.matches(TYPING)) {
    target.click();
    return;
  }
  target.focus();
  target.select?.();
}

function step({ by, among }) {
  const items = [...document.querySelectorAll(`main :is(${among})`)].filter((item) =>
    item.checkVisibility(),
  );
  const next = items[indexAfter(items, by)];
  if (next) select(next);
  else if (among === "[data-item]") document.querySelector(sentinel(by))?.click();
  else leaveFor(by);
  return Boolean(document.querySelector("main [data-item]"));
}

function indexAfter(items, by) {
  const current = document.querySelector('[data-item][aria-current="true"]');
  if (current && isOnScreen(current)) return indexBeside(items, current, by);
  const edge = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
  const isBelow = (item) => item.getBoundingClientRect().top > edge + 8;
  const isAbove = (item) => item.getBoundingClientRect().top < edge - 8;
  return by > 0 ? items.findIndex(isBelow) : items.findLastIndex(isAbove);
}

// The current item need not be one of `items`: n goes on from any message to the next error.
function indexBeside(items, current, by) {
  const follows = (item) =>
    Boolean(current.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_FOLLOWING);
  const precedes = (item) =>
    Boolean(current.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_PRECEDING);
  return by > 0 ? items.findIndex(follows) : items.findLastIndex(precedes);
}

function isOnScreen(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

function select(item) {
  document.querySelector('[data-item][aria-current="true"]')?.removeAttribute("aria-current");
  item.setAttribute("aria-current", "true");
  const isMessage = item.hasAttribute("tabindex");
  (isMessage ? item : item.querySelector("a[href]"))?.focus({ preventScroll: true });
  item.scrollIntoView({ block: isMessage ? "start" : "nearest" });
}

function sentinel(by) {
  return `a.sentinel[rel="${by > 0 ? "next" : "prev"}"]:not([hidden])`;
}

function leaveFor(by) {
  const windows = [...document.querySelectorAll(".window")];
  const url = by > 0 ? windows.at(-1)?.dataset.nextStop : windows[0]?.dataset.previousStop;
  if (url) location.assign(url);
}

function isOn() {
  try {
    return localStorage.getItem("single-keys") !== "off";
  } catch {
    return true;
  }
}

function remember(on) {
  try {
    localStorage.setItem("single-keys", on ? "on" : "off");
  } catch {
    // Storage is blocked: the keys are on again with the next page.
  }
}
