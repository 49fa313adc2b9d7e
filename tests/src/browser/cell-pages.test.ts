import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { postJson } from '../support/http';
import type { Customer, System } from '../support/system';
import { startTwoCells, type TwoCells } from '../support/two-cells';
import { expectNoFlaws } from './expect-no-flaws';
import { waitUntilLoaded } from './measure';
import { CAN_BROWSE, openBrowser } from './open-browser';
import { heading, navigate } from './steps';
import { VARIANTS, type Visitor, visit } from './visitor';

const inBrowser = CAN_BROWSE ? describe : describe.skip;

inBrowser("the operator's pages of a gateway with two cells", () => {
  let cells: TwoCells;
  let system: System;
  let browser: Browser;
  let home: Customer;
  let other: Customer;
  let requestId: string;
  const visitors: Visitor[] = [];

  beforeAll(async () => {
    [cells, browser] = await Promise.all([startTwoCells(), openBrowser()]);
    system = cells.system;
    const token = await system.operatorToken();
    const customers = new Map<string, Customer>();
    while (customers.size < 2) {
      const customer = await system.provision();
      const { cell } = await system.dashboard.call('GET', `admin/accounts/${customer.id}`, token);
      customers.set(cell, customer);
    }
    [home, other] = [customers.get('home')!, customers.get('b')!];
    for (const { id } of [home, other]) {
      const topup = { amount: 5, status: 'pending', reference: `Invoice ${id}` };
      await system.dashboard.call('POST', `admin/accounts/${id}/topups`, token, topup);
    }
    const url = `${system.stack.apiUrl}/v1/chat/completions`;
    const body = { model: 'sim/chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 20 };
    const { headers } = await postJson(url, body, other.apiKey);
    requestId = String(headers['x-request-id']);
    await system.settled(other);
  }, 90_000);
  afterEach(async () => {
    await Promise.all(visitors.splice(0).map((visitor) => visitor.leave()));
  });
  afterAll(async () => {
    await browser?.close();
    await cells?.stop();
  }, 30_000);

  async function visitAsOperator(contextOptions: BrowserContextOptions = {}): Promise<Visitor> {
    const { dashboardUrl } = system.stack;
    const token = await system.operatorToken();
    const visitor = await visit(browser, { dashboardUrl, token, contextOptions });
    visitors.push(visitor);
    return visitor;
  }

  const cellOf = (page: Page) => page.getByRole('combobox', { name: 'Cell' });
  const linkTo = (page: Page, path: string) => page.getByRole('main').locator(`a[href="/operator/${path}"]`);

  test('a cell is chosen once for accounts, top-ups and requests, and is in the address', async () => {
    const { page, open, complaints } = await visitAsOperator();
    const expectCell = async (name: string) => {
      await page.waitForURL(({ searchParams }) => searchParams.get('cell') === name);
      expect(await cellOf(page).inputValue()).toBe(name);
    };
    await open('/operator/accounts');
    await linkTo(page, `accounts/${home.id}`).waitFor();
    await expectCell('home');
    expect(await linkTo(page, `accounts/${other.id}`).count()).toBe(0);
    await cellOf(page).click();
    await page.getByRole('option', { name: 'b', exact: true }).click();
    await linkTo(page, `accounts/${other.id}`).waitFor();
    await expectCell('b');
    expect(await linkTo(page, `accounts/${home.id}`).count()).toBe(0);

    await page.getByRole('tab', { name: 'Pending top-ups' }).click();
    await page.getByText(`Invoice ${other.id}`).waitFor();
    await expectCell('b');
    expect(await page.getByText(`Invoice ${home.id}`).count()).toBe(0);
    await navigate(page, 'All requests');
    await linkTo(page, `requests/${requestId}`).click();
    await heading(page, 'Request').waitFor();
    await page.reload();
    await page.getByRole('main').getByRole('link', { name: 'All requests' }).click();
    await linkTo(page, `requests/${requestId}`).waitFor();
    await expectCell('b');
    await navigate(page, 'Accounts');
    await page.getByRole('searchbox', { name: 'Search accounts' }).fill(home.id);
    await page.getByText(`No account of cell b matches “${home.id}”`).waitFor();
    await expectCell('b');
    expect(complaints).toEqual([]);
  }, 60_000);

  test('an account and its requests are shown by their links, whichever cell is chosen', async () => {
    const { page, open, complaints } = await visitAsOperator();
    await open('/operator/accounts?cell=home');
    await linkTo(page, `accounts/${home.id}`).waitFor();
    await open(`/operator/accounts/${other.id}`);
    await page.getByText(/· Cell b$/).waitFor();
    await open(`/operator/requests?account_id=${other.id}`);
    await linkTo(page, `requests/${requestId}`).waitFor();
    expect(await cellOf(page).isDisabled()).toBe(true);
    await open(`/operator/accounts?cell=b`);
    await linkTo(page, `accounts/${other.id}`).waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test('of a gateway with one cell, no page mentions cells', async () => {
    const { page, open, complaints } = await visitAsOperator();
    await page.route('**/api/v1/auth/me', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), cells: ['home'] } });
    });
    for (const path of ['accounts?tab=topups', 'requests', `accounts/${home.id}`, 'accounts?cell=b']) {
      await open(`/operator/${path}`);
      await waitUntilLoaded(page);
      expect(await page.getByText(/\bcell\b/i).count()).toBe(0);
    }
    await linkTo(page, `accounts/${home.id}`).waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test.each(Object.entries(VARIANTS))(
    'pages with a cell have no errors, are accessible, fit the window and do not shift in %s',
    async (_window, variant) => {
      const visitor = await visitAsOperator(variant);
      const paths = ['accounts?cell=b', 'accounts?tab=topups', 'requests', `accounts/${other.id}`];
      for (const path of paths.map((one) => `/operator/${one}`)) {
        await expectNoFlaws(visitor, path);
      }
      expect(visitor.complaints).toEqual([]);
    },
    60_000,
  );
});
