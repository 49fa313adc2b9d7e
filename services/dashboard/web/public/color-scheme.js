// Before anything is drawn, so that a dark page never flashes white. A file of its own, because the content
// security policy forbids inline scripts.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('gateway-color-scheme');
  } catch {
    // Storage is closed to us: the system's preference it is.
  }
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
