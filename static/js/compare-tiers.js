// Shows other tiers as soon as one is chosen.
//
//   <compare-tiers><form>... <select name="left"> <select name="right"> <button>Compare</button></form>
//   </compare-tiers>
//
// Without script the button does it. Fields that are empty stay out of the address.

class CompareTiers extends HTMLElement {
  connectedCallback() {
    this.addEventListener("change", (event) => this.#onChange(event));
  }

  #onChange(event) {
    const { form } = event.target;
    const url = new URL(form.action);
    for (const [name, value] of new FormData(form)) if (value) url.searchParams.set(name, value);
    location.assign(url);
  }
}

customElements.define("compare-tiers", CompareTiers);
