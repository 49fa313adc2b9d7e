import { expect } from '@jest/globals';
import { findViolations } from './find-violations';
import { excessiveShifts, excessWidthPx, waitUntilLoaded } from './measure';
import type { Visitor } from './visitor';

/** Opens a page and checks that it is accessible, fits the window and does not shift while it loads. */
export async function expectNoFlaws(
  { page, open }: Pick<Visitor, 'page' | 'open'>,
  path: string,
): Promise<void> {
  await open(path);
  await waitUntilLoaded(page);
  expect([path, await findViolations(page)]).toEqual([path, []]);
  expect([path, await excessWidthPx(page)]).toEqual([path, 0]);
  expect([path, await excessiveShifts(page)]).toEqual([path, []]);
}
