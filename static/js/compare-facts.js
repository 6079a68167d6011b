// Underlines in the cells of a comparison the facts that were lost, or that are new.
//
//   <compare-facts>
//     <article class="cell"> words <p data-facts="lost"><code>ORD-7</code></p></article>
//   </compare-facts>
//
// The lists below the words are there without script; ranges of the CSS Custom Highlight API add the marks
// and leave the markup alone.

const KINDS = ["lost", "introduced"];
const MOST = 2000;

class CompareFacts extends HTMLElement {
  #onSwap = () => this.#mark();

  connectedCallback() {
    if (!("highlights" in CSS)) return;
    this.addEventListener("htmx:afterSwap", this.#onSwap);
    this.#mark();
  }

  disconnectedCallback() {
    this.removeEventListener("htmx:afterSwap", this.#onSwap);
    if ("highlights" in CSS) for (const kind of KINDS) CSS.highlights.delete(kind);
  }

  #mark() {
    for (const kind of KINDS) {
      const ranges = [];
      for (const list of this.querySelectorAll(`[data-facts="${kind}"]`)) {
        const values = [...list.querySelectorAll("code")].map((code) => code.textContent);
        for (const range of rangesOf(list.closest(".cell"), list, values)) {
          if (ranges.length < MOST) ranges.push(range);
        }
      }
      CSS.highlights.set(kind, new Highlight(...ranges));
    }
  }
}

function* rangesOf(cell, list, values) {
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (list.contains(node)) continue;
    for (const value of values) {
      const start = node.data.indexOf(value);
      if (start < 0) continue;
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, start + value.length);
      yield range;
    }
  }
}

customElements.define("compare-facts", CompareFacts);
