// <file-drop data-max-bytes="536870912">
//   <form method="post" enctype="multipart/form-data">
//     <input type="file" multiple> <input type="file" webkitdirectory> <button>Import</button>
//     <output></output>
//   </form>
// </file-drop>
// Files that are chosen, or dropped on it, are sent at once. A dropped folder keeps its paths. More bytes
// than the server takes are refused here, with a line in <output>. Without script the button sends.

class FileDrop extends HTMLElement {
  connectedCallback() {
    this.querySelector("button").hidden = true;
    this.addEventListener("change", () => this.#sendChosen());
    this.addEventListener("dragover", (event) => event.preventDefault());
    this.addEventListener("drop", (event) => this.#onDrop(event));
  }

  get #form() {
    return this.querySelector("form");
  }

  #sendChosen() {
    const files = [...this.querySelectorAll("input[type=file]")].flatMap((input) => [...input.files]);
    if (this.#fits(files)) this.#form.submit();
  }

  async #onDrop(event) {
    event.preventDefault();
    // The list is emptied when this handler first waits. What did not come from a disk has no entry.
    const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
    const dropped = items.map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
    const found = [];
    for (const item of dropped) {
      if (item instanceof File) found.push({ path: item.name, file: item });
      else await collect(item, found);
    }
    if (found.length > 0 && this.#fits(found.map(({ file }) => file))) await this.#send(found);
  }

  #fits(files) {
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    if (files.length === 0) return false;
    const isSmall = bytes <= Number(this.dataset.maxBytes);
    this.#say(isSmall ? "Sending…" : "Too large to send at once. Send it in parts, or import it from a terminal.");
    return isSmall;
  }

  async #send(found) {
    const body = new FormData();
    body.append("csrfmiddlewaretoken", this.querySelector("[name=csrfmiddlewaretoken]").value);
    for (const { path, file } of found) body.append("files[]", file, path);
    try {
      const response = await fetch(this.#form.action, { method: "POST", body });
      if (response.ok) location.assign(response.url);
      else this.#say(`The server answered ${response.status}. Choose the files with the buttons to see why.`);
    } catch {
      this.#say("Could not reach the server. Try again.");
    }
  }

  #say(text) {
    this.querySelector("output").textContent = text;
  }
}

async function collect(entry, found) {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    found.push({ path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    // A folder is listed a hundred entries at a time.
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return;
    for (const child of entries) await collect(child, found);
  }
}

customElements.define("file-drop", FileDrop);
