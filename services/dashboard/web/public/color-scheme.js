// Runs before the first paint, so that a dark page never flashes white. A separate file, because the content security
// policy forbids inline scripts.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('gateway-color-scheme');
  } catch {
    // Storage is blocked: use the system's preference.
  }
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
