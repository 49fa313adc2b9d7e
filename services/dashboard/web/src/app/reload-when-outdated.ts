const STORAGE_KEY = 'gateway-reloaded';
/** A script that is still missing after a reload is not missing because of a deployment. */
const ONCE_IN_MS = 60_000;

/** A page opened before a deployment requests scripts that no longer exist: a reload gets the new ones. */
export function reloadWhenOutdated(): void {
  window.addEventListener('vite:preloadError', (event) => {
    try {
      if (Date.now() - Number(sessionStorage.getItem(STORAGE_KEY)) < ONCE_IN_MS) return;
      sessionStorage.setItem(STORAGE_KEY, String(Date.now()));
    } catch {
      // Without storage, the reload could loop forever.
      return;
    }
    event.preventDefault();
    window.location.reload();
  });
}
