import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { ENGINES } from '../support/engines';

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Optimizing the code of pages that are open for a second costs more than it saves.
  '--js-flags=--max-opt=1',
];

/** Debian's, as installed by `tools/real-engines.mjs`. */
const CHROMIUM = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'chromium-headless-shell'))
  .find(isExecutable);

/** Rendering does not depend on the engines: one run is enough. */
export const CAN_BROWSE = CHROMIUM !== undefined && ENGINES === 'embedded';

export function openBrowser(): Promise<Browser> {
  if (!CHROMIUM) throw new Error('there is no chromium-headless-shell on the PATH');
  // Chromium's own sandbox does not work for root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...sandbox] });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
