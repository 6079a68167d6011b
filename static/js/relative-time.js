// <relative-time>
//   <time datetime="2026-11-30T14:21:02Z" title="30 Nov 2026, 14:21:02 UTC">30 Nov 2026</time>
// </relative-time>
// In lists: the text becomes "2 min ago" and keeps up; past four weeks it stays the date it was written as.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LIMIT = 28 * DAY;
const EVERY_MS = 30_000;

class RelativeTime extends HTMLElement {
  #timer = 0;
  #written = null;

  connectedCallback() {
    this.#written ??= this.querySelector("time").textContent;
    this.#show();
    this.#timer = setInterval(() => this.#show(), EVERY_MS);
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }

  #show() {
    const time = this.querySelector("time");
    const age = (Date.now() - Date.parse(time.dateTime)) / 1000;
    time.textContent = words(age) ?? this.#written;
  }
}

function words(age) {
  if (!(age >= -MINUTE && age < LIMIT)) return null;
  if (age < MINUTE) return "just now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`;
  return `${Math.floor(age / DAY)} d ago`;
}

customElements.define("relative-time", RelativeTime);
