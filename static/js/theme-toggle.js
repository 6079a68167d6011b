// <theme-toggle><button type="button" class="iconbtn" data-key="t">icon</button></theme-toggle>
// Steps through auto, light and dark; auto is no data-theme on <html>. Kept in localStorage "theme".
// The button's <use> is pointed at the icon of the state, its label and title name it.

const THEMES = [
  { name: "auto", icon: "i-theme" },
  { name: "light", icon: "i-sun" },
  { name: "dark", icon: "i-moon" },
];

class ThemeToggle extends HTMLElement {
  connectedCallback() {
    this.querySelector("button").addEventListener("click", () => this.#next());
    this.#show();
  }

  get #theme() {
    const name = document.documentElement.dataset.theme ?? "auto";
    return THEMES.find((theme) => theme.name === name) ?? THEMES[0];
  }

  #next() {
    const { name } = THEMES[(THEMES.indexOf(this.#theme) + 1) % THEMES.length];
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    remember(name);
    this.#show();
  }

  #show() {
    const { name, icon } = this.#theme;
    const button = this.querySelector("button");
    button.ariaLabel = `Theme: ${name}`;
    button.title = `Theme: ${name} (t)`;
    const use = this.querySelector("use");
    use.setAttribute("href", `${use.getAttribute("href").split("#")[0]}#${icon}`);
  }
}

function remember(name) {
  try {
    if (name === "auto") localStorage.removeItem("theme");
    else localStorage.setItem("theme", name);
  } catch {
    // Storage is blocked: the choice lasts as long as the page.
  }
}

customElements.define("theme-toggle", ThemeToggle);
