// Steps through the rows of a comparison: changes, losses, summaries.
//
//   <compare-steps>
//     <a href="?row=12" data-step="next">...</a>     also "previous", "loss", "summary"
//   </compare-steps>
//
// A step goes to the nearest such row in the page, and marks it with aria-current. Where the page holds
// none, the link leads on: its address is that of the nearest row outside.

const ROWS = {
  previous: '[data-item="stop"]',
  next: '[data-item="stop"]',
  loss: '[data-item]:has([data-facts="lost"])',
  summary: '[data-item][data-outcome="summarized"]',
};

class CompareSteps extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", (event) => this.#onClick(event));
  }

  #onClick(event) {
    const link = event.target.closest("a[data-step]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const row = nearest(ROWS[link.dataset.step], link.dataset.step === "previous");
    if (!row) return;
    event.preventDefault();
    document.querySelector('[data-item][aria-current="true"]')?.removeAttribute("aria-current");
    row.setAttribute("aria-current", "true");
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "start" });
  }
}

function nearest(selector, backwards) {
  const rows = [...document.querySelectorAll(selector)].filter((row) => row.checkVisibility());
  const current = document.querySelector('[data-item][aria-current="true"]');
  const edge =
    parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
  const top = (row) => row.getBoundingClientRect().top;
  const from = current && isOnScreen(current) ? top(current) : edge;
  return backwards
    ? rows.findLast((row) => top(row) < from - 4)
    : rows.find((row) => top(row) > from + 4);
}

function isOnScreen(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

customElements.define("compare-steps", CompareSteps);
