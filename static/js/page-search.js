// Finds text in the messages that are in the page, and marks it without touching the markup.
//
//   <page-search><form class="searchbox" role="search" action="/search/" method="get">
//     <input type="search" name="q" data-key="/" aria-label="Search in this thread">
//     <output class="found-count"></output>
//   </form></page-search>
//
// Enter goes to the next match, Shift+Enter to the one before. With none in the page, Enter submits the
// form: the server searches the whole thread. Colours: ::highlight(found), ::highlight(found-current).

const ROOTS = "main .msg > .body";
const SHORTEST = 2;
const MOST = 1000;

class PageSearch extends HTMLElement {
  #at = -1;

  connectedCallback() {
    if (!CSS.highlights) return;
    this.querySelector("input").addEventListener("input", () => this.#onInput());
    this.querySelector("input").addEventListener("keydown", (event) => this.#onKey(event));
  }

  #onInput() {
    this.#at = -1;
    const count = this.#mark().length;
    const isShort = this.querySelector("input").value.length < SHORTEST;
    this.querySelector("output").textContent = isShort ? "" : `${count} on this page`;
  }

  #onKey(event) {
    if (event.key !== "Enter" || event.isComposing) return;
    const ranges = this.#mark();
    if (ranges.length === 0) return;
    event.preventDefault();
    const from = this.#at < 0 && event.shiftKey ? 0 : this.#at;
    this.#at = (from + (event.shiftKey ? -1 : 1) + ranges.length) % ranges.length;
    const range = ranges[this.#at];
    CSS.highlights.set("found-current", new Highlight(range));
    for (let fold = up(range); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    range.startContainer.parentElement.scrollIntoView({ block: "center" });
    this.querySelector("output").textContent = `${this.#at + 1} of ${ranges.length}`;
  }

  #mark() {
    const ranges = matches(this.querySelector("input").value);
    CSS.highlights.delete("found-current");
    CSS.highlights.set("found", new Highlight(...ranges));
    return ranges;
  }
}

function up(range) {
  return range.startContainer.parentElement.closest("details");
}

function matches(words) {
  const wanted = words.toLowerCase();
  const ranges = [];
  if (wanted.length < SHORTEST) return ranges;
  for (const root of document.querySelectorAll(ROOTS)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && ranges.length < MOST) collect(walker.currentNode, wanted, ranges);
  }
  return ranges;
}

function collect(node, wanted, ranges) {
  const text = node.data.toLowerCase();
  if (text.length !== node.data.length) return; // lower case moved the offsets
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const range = new Range();
    range.setStart(node, at);
    range.setEnd(node, at + wanted.length);
    ranges.push(range);
  }
}

customElements.define("page-search", PageSearch);
