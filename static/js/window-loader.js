// Keeps the windows of a long thread around the viewport in the page, and no others.
//
//   <window-loader>
//     <a class="sentinel" rel="prev" href="...">Earlier messages</a>
//     <section class="window" data-previous-url="..." data-next-url="...">messages</section>
//     <a class="sentinel" rel="next" href="...">Later messages</a>
//   </window-loader>
//
// Both sentinels are always there, `hidden` (and without href) at an end of the thread. Each window names
// the addresses of its neighbours; the attribute is absent at an end. A sentinel near the viewport is
// fetched through htmx; the answer's `.window` sections go between the sentinels, so it may be a fragment
// or a whole page. Beyond KEEP windows the far end is dropped and its sentinel leads back to it.
// Without script the sentinels are plain links to the page opened at that window.

const KEEP = 6;
const NEAR = "1200px 0px";
const FAR_SCREENS = 2;

class WindowLoader extends HTMLElement {
  #observer = null;

  connectedCallback() {
    this.#observer = new IntersectionObserver((entries) => this.#onSeen(entries), {
      rootMargin: NEAR,
    });
    this.addEventListener("click", (event) => this.#onClick(event));
    for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
      this.addEventListener(name, keepOwn);
    }
    this.#watch();
  }

  disconnectedCallback() {
    this.#observer.disconnect();
  }

  get #windows() {
    return [...this.querySelectorAll(":scope > .window")];
  }

  #sentinel(rel) {
    return this.querySelector(`:scope > .sentinel[rel="${rel}"]`);
  }

  #watch() {
    // Observing anew reports a sentinel that is still in view after its window came.
    this.#observer.disconnect();
    for (const rel of ["prev", "next"]) this.#observer.observe(this.#sentinel(rel));
  }

  #onSeen(entries) {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting && !target.hidden && !("failed" in target.dataset)) this.#load(target);
    }
  }

  #onClick(event) {
    const link = event.target.closest(".sentinel");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.#load(link);
  }

  async #load(link) {
    if (link.ariaBusy === "true") return;
    link.ariaBusy = "true";
    delete link.dataset.failed;
    const isNext = link.rel === "next";
    const known = new Set(this.#windows);
    // The place to hold is taken when the answer is here, not when it was asked for.
    let place = null;
    const hold = (event) => {
      if (event.detail.target === link) place = holdPlace(this);
    };
    this.addEventListener("htmx:beforeSwap", hold);
    await htmx
      .ajax("GET", link.href, {
        source: link,
        target: link,
        swap: isNext ? "beforebegin" : "afterend",
        select: ".window",
      })
      .catch(() => null);
    this.removeEventListener("htmx:beforeSwap", hold);
    link.ariaBusy = null;
    if (this.#windows.every((section) => known.has(section))) {
      link.dataset.failed = "";
      place?.release();
      return;
    }
    place?.restore();
    this.#dropFar(isNext);
    this.#aim();
    place?.restore();
    place?.release();
    this.#watch();
  }

  #dropFar(fromStart) {
    const windows = this.#windows;
    while (windows.length > KEEP) {
      const section = fromStart ? windows.shift() : windows.pop();
      if (!isFar(section, fromStart)) return;
      if (section.contains(document.activeElement)) {
        document.querySelector("main").focus({ preventScroll: true });
      }
      section.remove();
    }
  }

  #aim() {
    const windows = this.#windows;
    aim(this.#sentinel("prev"), windows[0].dataset.previousUrl);
    aim(this.#sentinel("next"), windows.at(-1).dataset.nextUrl);
  }
}

// The sentinel says itself that its window did not come; what failed inside a message is not ours.
function keepOwn(event) {
  if (event.target.matches(".sentinel")) event.stopPropagation();
}

function aim(link, url) {
  link.hidden = !url;
  if (url) link.href = url;
  else link.removeAttribute("href");
}

function isFar(section, above) {
  const { top, bottom } = section.getBoundingClientRect();
  const far = FAR_SCREENS * innerHeight;
  return above ? bottom < -far : top > innerHeight + far;
}

// What is on screen stays where it is, whatever comes or goes above it. The browser's own anchoring is
// off meanwhile: the two would correct the same shift twice.
function holdPlace(loader) {
  const shown = [...loader.querySelectorAll("[data-item]")].find(
    (message) => message.getBoundingClientRect().bottom > 0,
  );
  const top = shown?.getBoundingClientRect().top;
  const { style } = document.documentElement;
  style.overflowAnchor = "none";
  return {
    restore() {
      if (!shown?.isConnected) return;
      const shift = shown.getBoundingClientRect().top - top;
      if (shift) scrollBy({ top: shift, behavior: "instant" });
    },
    release() {
      requestAnimationFrame(() => {
        style.overflowAnchor = "";
      });
    },
  };
}

customElements.define("window-loader", WindowLoader);
