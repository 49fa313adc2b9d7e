import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RULES = `axe.run(document, { resultTypes: ['violations'] })`;

/** What fades in has too little contrast on its way. */
const FADED = `Promise.allSettled(document.getAnimations()
  .filter(({ playState, effect }) => playState === 'running' && effect.getComputedTiming().endTime < Infinity)
  .map(({ finished }) => finished))`;

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
  }[];
}

const SERIOUS = ['serious', 'critical'];

/** What keeps people with impairments from using the page, as axe sees it: the serious and the critical. */
export async function findViolations(page: Page, impacts: readonly string[] = SERIOUS): Promise<string[]> {
  await page.evaluate(FADED);
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate(RULES)) as AxeResult;
  return violations
    .filter(({ impact }) => impacts.includes(impact))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    );
}

/** What is merely in their way, too; of what lies over a page no landmark is asked, since it has the focus. */
export async function findFlaws(page: Page): Promise<string[]> {
  const found = await findViolations(page, ['moderate', ...SERIOUS]);
  return found.filter((flaw) => !flaw.startsWith('region:'));
}
