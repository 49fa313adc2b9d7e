import { findCommand } from './commands.mjs';

/**
 * Debian packages of the browser for the web UI's tests. The headless shell needs a third less CPU time than the full browser;
 * without a font it renders no text.
 */
export const chromium = {
  missingPackages: () =>
    findCommand('chromium-headless-shell') ? [] : ['chromium-headless-shell', 'fonts-dejavu-core'],
};
