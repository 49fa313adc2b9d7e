import type { Locator, Page } from 'playwright-core';

/** Actions of users, by accessible names. */

export interface Registration {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

export async function signUp(page: Page, { name, email, password }: Registration): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Email').fill(email);
  // The button that shows the password has the same label.
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign up' }).click();
}

export async function logIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Uses the onboarding of a new account; returns the key's value. */
export async function createKey(page: Page, name: string, perDayUsd: string): Promise<string> {
  await page.getByRole('link', { name: 'Go to keys' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  const form = page.getByRole('dialog', { name: 'Create a key' });
  await form.getByRole('textbox', { name: 'Name' }).fill(name);
  await form.getByRole('textbox', { name: 'Per day' }).fill(perDayUsd);
  await form.getByRole('button', { name: 'Create key' }).click();
  const made = page.getByRole('dialog', { name: `Value of ${name}` });
  const value = await made.getByText(/^sk-gw-\S+$/).textContent();
  await made.getByRole('button', { name: 'Done' }).click();
  return value ?? '';
}

/** Tops up as an operator. */
export async function topUp(page: Page, ownerEmail: string, usd: string): Promise<void> {
  await navigate(page, 'Accounts');
  await page.getByRole('searchbox', { name: 'Search accounts' }).fill(ownerEmail);
  // Waits until only the header and this row are left: with others, the row could move under a click.
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
  const account = page.getByRole('row').filter({ hasText: ownerEmail });
  await account.getByRole('link').click();
  await page.getByRole('button', { name: 'Top up' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Amount in USD' }).fill(usd);
  await form.getByRole('button', { name: /^Top up/ }).click();
  await form.waitFor({ state: 'detached' });
}

export async function liftDailyLimit(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit key' }).click();
  const form = page.getByRole('dialog', { name: 'Edit key' });
  await form.getByRole('textbox', { name: 'Per day' }).fill('');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
}

/** Refreshes the request log until the latest request matches, as long as recording may take. */
export async function latestCall(page: Page, text: RegExp): Promise<Locator> {
  await navigate(page, 'Requests');
  const rows = page.getByRole('table', { name: 'Requests' }).getByRole('row');
  const wanted = rows.nth(1).filter({ hasText: text });
  for (let i = 0; i < MAX_REFRESHES && !(await isSoonThere(wanted)); i++) {
    await page.getByRole('button', { name: 'Refresh' }).click();
  }
  await wanted.waitFor();
  return wanted;
}

const MAX_REFRESHES = 10;
const REFRESH_INTERVAL_MS = 300;

const isSoonThere = (locator: Locator): Promise<boolean> =>
  locator.waitFor({ timeout: REFRESH_INTERVAL_MS }).then(
    () => true,
    () => false,
  );

export async function navigate(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await heading(page, name).waitFor();
}

export const heading = (page: Page, name: string): Locator =>
  page.getByRole('heading', { level: 1, name, exact: true });
