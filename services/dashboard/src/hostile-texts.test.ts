import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type Dashboard, startDashboard, startWorld, type World } from './testing/dashboard-fixture';

jest.setTimeout(30_000);

/** Texts that would be harmful if a page did not treat them as plain text. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'-alert(1)-'",
  '</title><svg/onload=alert(1)>',
  'javascript:alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  '<!--<script>',
  'a\u2028alert(1)\u2029b',
  '<a href="javascript&colon;alert(1)">x</a>',
  '=HYPERLINK("http://evil.example","x")',
];

let world: World;
let dashboard: Dashboard;
let operator: string;
beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
  operator = await dashboard.loginOperator();
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

/** Checks that the text is unchanged and in JSON that no browser renders as a page. */
async function expectInert(path: string, token: string, text: string): Promise<void> {
  const { status, headers, body } = await dashboard.get(path, token);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(JSON.stringify(body)).toContain(JSON.stringify(text).slice(1, -1));
}

test.each(HOSTILE)('stores %j in names unchanged and serves it as JSON only', async (text) => {
  const owner = await dashboard.register();
  const { id } = (await dashboard.post('keys', { name: text }, owner.token)).body;
  const email = `m-${Math.abs(hash(text))}@example.com`;
  await dashboard.post('members', { email, name: text, role: 'viewer' }, owner.token);
  const account = (await dashboard.post('admin/accounts', { name: text }, operator)).body;
  await dashboard.post(`admin/accounts/${account.id}/adjustments`, { amount: 1, reason: text }, operator);
  const topup = { amount: 1, status: 'pending', reference: text };
  await dashboard.post(`admin/accounts/${account.id}/topups`, topup, operator);
  for (const path of ['keys', `keys/${id}`, 'members', 'audit']) await expectInert(path, owner.token, text);
  const ofAccount = `admin/accounts/${account.id}`;
  const found = `admin/accounts?query=${encodeURIComponent(text)}`;
  for (const path of [ofAccount, `${ofAccount}/ledger`, `${ofAccount}/topups`, found]) {
    await expectInert(path, operator, text);
  }
  await expectInert('admin/audit', operator, text);
});

test.each(HOSTILE)('serves an error with %j as JSON only', async (text) => {
  const { headers, body } = await dashboard.post(
    `keys/${encodeURIComponent(text)}/update`,
    { [text]: text },
    operator,
  );
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(body.error.code).toBe('invalid_request');
});

const hash = (text: string) => [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) | 0, 7);
