import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RULES = `axe.run(document, { resultTypes: ['violations'] })`;

/** Waits for animations: content that fades in has too little contrast meanwhile. */
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

/** Returns axe's violations with these impacts. */
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

/** Returns moderate violations too; without landmarks, which an overlay with the focus does not need. */
export async function findFlaws(page: Page): Promise<string[]> {
  const found = await findViolations(page, ['moderate', ...SERIOUS]);
  return found.filter((flaw) => !flaw.startsWith('region:'));
}
