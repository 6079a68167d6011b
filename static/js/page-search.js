// Finds text in the messages that are in the page, and marks it without touching the markup.
//
//   <page-search><form class="searchbox" role="search" action="/search/" method="get">
//     <input type="search" name="q" data-key="/" aria-label="Search in this thread">
//     <output class="found-count"></output>
//   </form></page-search>
//
// Enter goes to the next match, Shift+Enter to the one before. With none in the page, Enter submits the
// form: the server searches the whole thread. Colours: ::highlight(found), ::highlight(found-current).
// An address with ?q=, as search results have, is marked on arrival: in the message or call that its
// fragment names, whose payload is shown as input or raw where its first view does not hold the words.

const ROOTS = "main .msg > .body";
const SHORTEST = 2;
const MOST = 1000;
const FURTHER_VIEWS = ["input", "raw"];
// -word, name:value and name:"several words" of a query stand for nothing in the text.
const NOT_WORDS = /(?:^|\s)(?:-\S+|-?[a-z]+:(?:"[^"]*"|\S+))/gi;

class PageSearch extends HTMLElement {
  #at = -1;

  connectedCallback() {
    if (!CSS.highlights) return;
    this.querySelector("input").addEventListener("input", () => this.#onInput());
    this.querySelector("input").addEventListener("keydown", (event) => this.#onKey(event));
    const query = new URLSearchParams(location.search).get("q");
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (query && target) this.#arrive(phrases(query), target);
  }

  async #arrive(asked, target) {
    if (this.#find(asked, target)) return;
    for (const view of FURTHER_VIEWS) {
      if ((await opened(target, view)) && this.#find(asked, target)) return;
    }
  }

  #find(asked, target) {
    const inside = (range) => target.contains(range.startContainer);
    const found = asked.find((words) => matches(words).some(inside));
    if (found === undefined) return false;
    this.querySelector("input").value = found;
    const ranges = this.#mark();
    this.#goTo(ranges, ranges.findIndex(inside));
    return true;
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
    this.#goTo(ranges, (from + (event.shiftKey ? -1 : 1) + ranges.length) % ranges.length);
  }

  #goTo(ranges, index) {
    this.#at = index;
    const range = ranges[index];
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

function phrases(query) {
  const words = query.replace(NOT_WORDS, " ").match(/"[^"]+"|\S+/g) ?? [];
  const bare = words.map((word) => word.replaceAll('"', ""));
  return [...new Set([bare.join(" "), ...bare])].filter((word) => word.length >= SHORTEST);
}

async function opened(target, view) {
  const link = target.querySelector(`a[data-view="${view}"]:not([aria-current])`);
  if (!link) return false;
  const swapped = new Promise((done) => {
    document.body.addEventListener("htmx:afterSettle", done, { once: true });
  });
  link.click();
  await swapped;
  return true;
}

// Letter case and accents aside, as the server searches; each character stays one character.
function folded(text) {
  return text.replace(/[\u00c0-\u024f]/g, (letter) => letter.normalize("NFD")[0]).toLowerCase();
}

function matches(words) {
  const wanted = folded(words);
  const ranges = [];
  if (wanted.length < SHORTEST) return ranges;
  for (const root of document.querySelectorAll(ROOTS)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && ranges.length < MOST) collect(walker.currentNode, wanted, ranges);
  }
  return ranges;
}

function collect(node, wanted, ranges) {
  const text = folded(node.data);
  if (text.length !== node.data.length) return; // lower case moved the offsets
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const range = new Range();
    range.setStart(node, at);
    range.setEnd(node, at + wanted.length);
    ranges.push(range);
  }
}

customElements.define("page-search", PageSearch);
