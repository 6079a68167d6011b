// The inspector is a column where there is room and a drawer where there is not.
//
//   <button data-panel="inspector" popovertarget="inspector" data-key="i">   in the head and in the panel
//   <aside class="inspector" id="inspector" popover>
//
// As a drawer the popover attribute does everything. As a column a click hides or shows it: the class
// no-inspector on <body>.

const COLUMN = matchMedia("(min-width: 75.0625rem)");

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-panel]");
  if (!button || !COLUMN.matches) return;
  event.preventDefault(); // a column is no popover
  const isHidden = document.body.classList.toggle(`no-${button.dataset.panel}`);
  const opener = document.querySelector(`.open [data-panel="${button.dataset.panel}"]`);
  if (isHidden) opener?.focus();
});
