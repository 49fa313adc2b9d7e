import { findCommand } from './commands.mjs';

/**
 * The browser of the web UI's tests, where it is found by itself: the one without windows, which takes a third less of
 * the processors. Without a font of its own it draws no letters.
 */
export const chromium = {
  missingPackages: () =>
    findCommand('chromium-headless-shell') ? [] : ['chromium-headless-shell', 'fonts-dejavu-core'],
};
