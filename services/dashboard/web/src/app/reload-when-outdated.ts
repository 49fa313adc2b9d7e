const STORAGE_KEY = 'gateway-reloaded';
/** A script that is still missing after that is not missed because of a deployment. */
const ONCE_IN_MS = 60_000;

/** A page opened before a deployment asks for scripts that are no longer there: the new page knows the new ones. */
export function reloadWhenOutdated(): void {
  window.addEventListener('vite:preloadError', (event) => {
    try {
      if (Date.now() - Number(sessionStorage.getItem(STORAGE_KEY)) < ONCE_IN_MS) return;
      sessionStorage.setItem(STORAGE_KEY, String(Date.now()));
    } catch {
      // What can't be noted could go on for ever.
      return;
    }
    event.preventDefault();
    window.location.reload();
  });
}
