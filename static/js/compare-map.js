// Shows on the minimap of a comparison which part of it is on screen.
//
//   <compare-map>
//     <svg class="minimap"><a><rect data-row="0" y="0" height="250"/></a>... <rect class="here"/></svg>
//   </compare-map>
//
// Bands are in order; a row belongs to the last band that starts at or before it.

class CompareMap extends HTMLElement {
  #due = false;
  #onScroll = () => this.#schedule();

  connectedCallback() {
    document.addEventListener("scroll", this.#onScroll, { passive: true });
    addEventListener("resize", this.#onScroll);
    this.#schedule();
  }

  disconnectedCallback() {
    document.removeEventListener("scroll", this.#onScroll);
    removeEventListener("resize", this.#onScroll);
  }

  #schedule() {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      this.#draw();
    });
  }

  #draw() {
    const bands = [...this.querySelectorAll("rect[data-row]")];
    const rows = [...document.querySelectorAll("main [data-row]:is(.row, .span, .unchanged)")];
    const shown = rows.filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    });
    if (!bands.length || !shown.length) return;
    const first = bandOf(bands, Number(shown[0].dataset.row));
    const last = bandOf(bands, Number(shown.at(-1).dataset.row));
    const y = Number(first.getAttribute("y"));
    const end = Number(last.getAttribute("y")) + Number(last.getAttribute("height"));
    const here = this.querySelector(".here");
    here.setAttribute("y", y);
    here.setAttribute("height", Math.max(4, end - y));
  }
}

function bandOf(bands, row) {
  return bands.findLast((band) => Number(band.dataset.row) <= row) ?? bands[0];
}

customElements.define("compare-map", CompareMap);
