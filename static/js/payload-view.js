// One payload and the ways to look at it.
//
//   <payload-view class="payload" id="p-12-3">
//     <div class="toolbar"><div class="seg" role="group" aria-label="View result as">
//       <a href="?view=table" data-view="table" aria-current="true">Table</a>
//       <a href="?view=raw" data-view="raw">Raw</a></div>
//       <span class="end">size, copy, download</span></div>
//     <div class="view">...</div>
//   </payload-view>
//
// A click on a[data-view] fetches its href through htmx and puts the answer's element of the same id in
// place of this one; arrow keys, Home and End move between the views and show them. The address bar takes
// the link's address, so it must be a page's: without script the link opens the page with that view.

const MOVES = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index + count - 1) % count,
  Home: () => 0,
  End: (index, count) => count - 1,
};

class PayloadView extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", (event) => this.#onClick(event));
    this.addEventListener("keydown", (event) => this.#onKey(event));
  }

  #onClick(event) {
    const link = event.target.closest("a[data-view]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.#show(link);
  }

  #onKey(event) {
    const link = event.target.closest("a[data-view]");
    if (!link || !(event.key in MOVES)) return;
    event.preventDefault();
    const links = [...this.querySelectorAll("a[data-view]")];
    const next = links[MOVES[event.key](links.indexOf(link), links.length)];
    next.focus();
    this.#show(next);
  }

  async #show(link) {
    if (link.getAttribute("aria-current") === "true") return;
    const { id } = this;
    const hadFocus = this.contains(document.activeElement);
    await htmx.ajax("GET", link.href, {
      source: link,
      target: this,
      swap: "outerHTML",
      select: `#${CSS.escape(id)}`,
    });
    if (this.isConnected) return; // it failed, and failed-swap.js says so
    history.replaceState(history.state, "", link.href);
    const chosen = document.getElementById(id)?.querySelector('a[data-view][aria-current="true"]');
    if (hadFocus) chosen?.focus({ preventScroll: true });
  }
}

customElements.define("payload-view", PayloadView);
