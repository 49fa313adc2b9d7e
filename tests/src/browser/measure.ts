import type { Page } from 'playwright-core';

/** From the beginning on, so that it is asked before the page begins. */
export const WATCH_SHIFTS = `window.layoutShifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    const moved = sources.map(({ node }) => (node?.parentElement ?? node)?.textContent?.slice(0, 60));
    window.layoutShifts.push({ value, moved });
  }
}).observe({ type: 'layout-shift', buffered: true });`;

interface LayoutShift {
  readonly value: number;
  /** The beginnings of what moved. */
  readonly moved: readonly (string | undefined)[];
}

const LOADING = '.mantine-Skeleton-root, .mantine-Loader-root';

/** Until nothing of the page is still loading. Not by a condition as text: the content policy forbids its evaluation. */
export async function whenDrawn(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator(LOADING).first().waitFor({ state: 'detached' });
}

/** As browsers count it: more than that they call poor. */
const MAX_LAYOUT_SHIFT = 0.25;

/** What has jumped about while the page was loading, if it was more than a little. */
export async function jumps(page: Page): Promise<readonly LayoutShift[]> {
  const shifts: LayoutShift[] = await page.evaluate('window.layoutShifts');
  return shifts.reduce((sum, { value }) => sum + value, 0) < MAX_LAYOUT_SHIFT ? [] : shifts;
}

/** Pixels by which the page is wider than the window. */
export const excessWidthPx = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - window.innerWidth');

/** Of all scripts that the page has loaded, as they were sent. */
export const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
