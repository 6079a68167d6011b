// Sets the stored theme before the first paint, so that nothing flashes. The only blocking script.
// theme-toggle.js writes the value.
{
  let theme = null;
  try {
    theme = localStorage.getItem("theme");
  } catch {
    // Storage is blocked: the system's theme it is.
  }
  if (theme) document.documentElement.dataset.theme = theme;
}
