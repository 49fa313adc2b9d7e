import { findCommand } from './commands.mjs';

/** The browser of the web UI's tests, where it is found by itself. Without a font of its own it draws no letters. */
export const chromium = {
  missingPackages: () => (findCommand('chromium') ? [] : ['chromium', 'fonts-dejavu-core']),
};
