import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { WATCH_SHIFTS } from './measure';

/** Browsers in which every page is looked at. */
export const VARIANTS: Readonly<Record<string, BrowserContextOptions>> = {
  'light, desktop': { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  'dark, phone': { colorScheme: 'dark', viewport: { width: 360, height: 740 }, isMobile: true },
};

/** Reports violations of the content security policy with other complaints, whichever part of the page caused them. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('content policy: ' + event.violatedDirective + ' ' + event.blockedURI);
});`;
const STEP_TIMEOUT_MS = 10_000;

/** A browser context and everything that the browser complained about. */
export interface Visitor {
  readonly page: Page;
  readonly complaints: string[];
  /** Opens a path of the dashboard. */
  open(path: string): Promise<void>;
  /** Another tab of the same context. */
  openTab(path: string): Promise<Page>;
  leave(): Promise<void>;
}

export interface VisitorOptions {
  readonly dashboardUrl: string;
  /** The token of a login that is stored in the browser. */
  readonly token?: string;
  readonly contextOptions?: BrowserContextOptions;
  /** Error statuses that the test expects: the browser reports each. */
  readonly expectedStatuses?: readonly number[];
}

export async function visit(browser: Browser, options: VisitorOptions): Promise<Visitor> {
  const { dashboardUrl, token, contextOptions = {}, expectedStatuses = [] } = options;
  const context: BrowserContext = await browser.newContext(contextOptions);
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  await context.addInitScript(REPORT_VIOLATIONS);
  await context.addInitScript(WATCH_SHIFTS);
  if (token !== undefined) await context.addInitScript(keepLogin(token));
  const page = await context.newPage();
  const complaints: string[] = [];
  const isExpected = (text: string) =>
    expectedStatuses.some((status) => text.includes(`responded with a status of ${status} `));
  page.on('console', (message) => {
    const isComplaint = ['error', 'warning'].includes(message.type());
    if (isComplaint && !isExpected(message.text())) complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
  return {
    page,
    complaints,
    open: async (path) => {
      await page.goto(dashboardUrl + path);
    },
    openTab: async (path) => {
      const tab = await context.newPage();
      await tab.goto(dashboardUrl + path);
      return tab;
    },
    leave: () => context.close(),
  };
}

/** As the web UI stores it. */
function keepLogin(token: string): string {
  const login = JSON.stringify({ token, expiresAtMs: Date.now() + 14 * 60_000 });
  return `localStorage.setItem('gateway-login', ${JSON.stringify(login)});`;
}
