import type { Locator, Page } from 'playwright-core';

/** Actions of operators on the pages of providers, by accessible names. */

export interface Endpoint {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly secret: string;
}

/** Connects an OpenAI-compatible endpoint by the picker and its form, up to the outcome of the test. */
export async function connectEndpoint(page: Page, { id, name, baseUrl, secret }: Endpoint): Promise<void> {
  await page.getByRole('link', { name: 'Connect provider' }).click();
  await page.getByRole('searchbox', { name: 'Search endpoints' }).fill('no such endpoint');
  await page.getByRole('link', { name: /^Other OpenAI-compatible endpoint/ }).click();
  await page.getByRole('textbox', { name: 'ID' }).fill(id);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByRole('textbox', { name: 'Base URL' }).fill(baseUrl);
  await page.getByRole('textbox', { name: 'API key', exact: true }).fill(secret);
  await page.getByRole('button', { name: 'Connect and test' }).click();
  await page.getByText(`${name} is added`).waitFor();
}

/** Imports one model with a typed context, at typed prices in USD per million tokens. */
export async function importModel(page: Page, upstreamModel: string, prices: readonly [string, string]) {
  const box = page.getByRole('checkbox', { name: `Import ${upstreamModel}`, exact: true });
  await box.and(page.locator(':disabled')).waitFor();
  await page.getByRole('textbox', { name: `Context length of ${upstreamModel}` }).fill('8,000');
  await page.getByRole('textbox', { name: `Input price of ${upstreamModel}` }).fill(prices[0]);
  await page.getByRole('textbox', { name: `Output price of ${upstreamModel}` }).fill(prices[1]);
  await box.check();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('1 imported').waitFor();
}

export const credentialRow = (page: Page, name: string): Locator =>
  page
    .getByRole('table', { name: /^Credentials of / })
    .getByRole('row')
    .filter({ hasText: name });

/** Chooses an action of a credential's menu. */
export async function chooseAction(page: Page, credential: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${credential}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

export async function replaceSecret(page: Page, credential: string, secret: string): Promise<void> {
  await chooseAction(page, credential, 'Edit or replace secret');
  const form = page.getByRole('dialog', { name: `Edit credential ${credential}` });
  await form.getByRole('textbox', { name: 'New secret', exact: true }).fill(secret);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
}
