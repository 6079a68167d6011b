// A swap that failed says so on one line, in place, with "Try again"; never a toast.
// For every htmx request of the page, whoever made it. The line goes before the element that asked; in
// front of the row where that is in a table. window-loader.js says it on its own links instead.

document.addEventListener("htmx:responseError", (event) => report(event.detail));
document.addEventListener("htmx:sendError", (event) => report(event.detail));
document.addEventListener("htmx:timeout", (event) => report(event.detail));
document.addEventListener("htmx:beforeRequest", (event) => clear(event.detail.target));

function report({ elt, target, etc, select, requestConfig }) {
  clear(target);
  const line = document.createElement("p");
  line.className = "failed";
  line.role = "status";
  line.append("Could not load this. ");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Try again";
  button.addEventListener("click", () => {
    line.remove();
    htmx.ajax(requestConfig.verb, requestConfig.path, {
      source: elt,
      target,
      select,
      swap: etc?.swapOverride,
      values: Object.fromEntries(requestConfig.formData ?? []),
    });
  });
  line.append(button);
  place(line, target);
}

function place(line, target) {
  const table = target.closest("table");
  if (table) table.before(line);
  else target.prepend(line);
}

function clear(target) {
  const table = target?.closest?.("table");
  const line = table ? table.previousElementSibling : target?.firstElementChild;
  if (line?.matches(".failed")) line.remove();
}
