import type { Page } from 'playwright-core';

/** From the beginning on, so that it is asked before the page begins. */
export const WATCH_SHIFTS = `window.layoutShift = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.layoutShift += value;
}).observe({ type: 'layout-shift', buffered: true });`;

const LOADING = '.mantine-Skeleton-root, .mantine-Loader-root';

/** Until nothing of the page is still loading. Not by a condition as text: the content policy forbids its evaluation. */
export async function whenDrawn(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator(LOADING).first().waitFor({ state: 'detached' });
}

/** How far things have jumped about, as browsers count it: 0.1 is what people put up with. */
export const layoutShift = (page: Page): Promise<number> => page.evaluate('window.layoutShift');

/** Pixels by which the page is wider than the window. */
export const excessWidthPx = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - window.innerWidth');

/** Of all scripts that the page has loaded, as they were sent. */
export const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
