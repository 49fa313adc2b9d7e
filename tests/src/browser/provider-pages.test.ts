import { until } from '@gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { type CompatibleServer, SERVED_WORDS, startCompatibleServer } from '../support/compatible-server';
import { type HttpAnswer, postJson } from '../support/http';
import { type Customer, type System, startSystem } from '../support/system';
import { expectNoFlaws } from './expect-no-flaws';
import { findFlaws } from './find-violations';
import { CAN_BROWSE, openBrowser } from './open-browser';
import { chooseAction, connectEndpoint, credentialRow, importModel, replaceSecret } from './provider-steps';
import { heading, navigate } from './steps';
import { VARIANTS, type Visitor, visit } from './visitor';

/** Operators connect a real server by the pages of the dashboard. */
const inBrowser = CAN_BROWSE ? describe : describe.skip;

const GOOD = 'sk-good-0123456789abcdef';
const NEXT = 'sk-next-0123456789uvwxyz';
const WRONG = 'sk-wrong-0123456789wrong';
const LONG_NAME = 'Inference cluster of the research department in the second building';

inBrowser('the pages of providers', () => {
  let server: CompatibleServer;
  let system: System;
  let browser: Browser;
  let customer: Customer;
  const visitors: Visitor[] = [];

  beforeAll(async () => {
    [server, system, browser] = await Promise.all([
      startCompatibleServer(),
      startSystem({ autoRestart: false }),
      openBrowser(),
    ]);
    server.keys.set(GOOD, 'answer').set(NEXT, 'answer');
    customer = await system.provision();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(visitors.splice(0).map((visitor) => visitor.leave()));
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await server?.stop();
  }, 30_000);

  async function visitAsOperator(
    contextOptions: BrowserContextOptions = {},
    expectedStatuses: readonly number[] = [],
  ): Promise<Visitor> {
    const { dashboardUrl } = system.stack;
    const token = await system.operatorToken();
    const visitor = await visit(browser, { dashboardUrl, token, contextOptions, expectedStatuses });
    visitors.push(visitor);
    return visitor;
  }

  const admin = async (call: string, body?: unknown) =>
    system.dashboard.call('POST', `admin/providers${call}`, await system.operatorToken(), body);
  const connect = (id: string, secret: string, name = id) =>
    admin('', {
      id,
      kind: 'openai',
      name,
      base_url: server.baseUrl,
      credentials: [{ name: 'main', secret }],
    });
  const chat = (model: string): Promise<HttpAnswer> =>
    postJson(
      `${system.stack.apiUrl}/v1/chat/completions`,
      { model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 20 },
      customer.apiKey,
    );

  test('a server is connected and tested, and its model is imported at typed prices and can be called', async () => {
    const { page, open, complaints } = await visitAsOperator();
    await open('/');
    await navigate(page, 'Providers');
    await connectEndpoint(page, { id: 'lab', name: 'The lab', baseUrl: server.baseUrl, secret: GOOD });
    await page.getByText(/^2 models · \d+ ms · credential main$/).waitFor();
    expect(await findFlaws(page)).toEqual([]);
    await page.getByRole('link', { name: 'Import models' }).click();
    await heading(page, 'Import models').waitFor();
    await importModel(page, 'org/Large', ['3', '5']);
    await page.getByRole('link', { name: 'lab/org-large' }).first().waitFor();

    let reply: HttpAnswer | undefined;
    await until(async () => {
      reply = await chat('lab/org-large');
      return reply.status === 200;
    });
    expect(reply?.json.choices[0].message.content).toBe(SERVED_WORDS.join(''));
    await page.getByRole('link', { name: 'Provider lab' }).click();
    await heading(page, 'The lab').waitFor();
    await credentialRow(page, 'main').getByText('59 of 60 requests').waitFor();
    await page.getByRole('button', { name: 'Test org/Large' }).click();
    await page.getByText(/^org\/Large · \d+ ms · credential main$/).waitFor();
    expect([complaints, page.url()]).toEqual([[], expect.not.stringContaining(GOOD)]);
  }, 60_000);

  test('a model is free of charge only if zero was typed for both prices', async () => {
    await connect('free', GOOD);
    const { page, open, complaints } = await visitAsOperator();
    await open('/operator/providers/free/models');
    await page.getByText('There is no price list').waitFor();
    const box = page.getByRole('checkbox', { name: 'Import org/Small:1b' });
    await page.getByRole('textbox', { name: 'Context length of org/Small:1b' }).fill('8000');
    await page.getByRole('textbox', { name: 'Input price of org/Small:1b' }).fill('0');
    expect(await box.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Output price of org/Small:1b' }).fill('0');
    await box.check();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 model is free of charge.').waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test('a wrong secret shows the failure of the endpoint, and a new one corrects it', async () => {
    const { page, open, complaints } = await visitAsOperator({}, [502]);
    await open('/operator/providers');
    await connectEndpoint(page, { id: 'wrong', name: 'Wrong', baseUrl: server.baseUrl, secret: WRONG });
    await page.getByText('Status 401: Incorrect API key provided').waitFor();
    expect(await findFlaws(page)).toEqual([]);
    await open('/operator/providers/wrong/models');
    await page.getByText('Status 401: Incorrect API key provided').waitFor();
    await open('/operator/providers/wrong');
    await replaceSecret(page, 'main', NEXT);
    await credentialRow(page, 'main').getByText('…wxyz').waitFor();
    await until(async () => {
      await page.getByRole('button', { name: 'Test main' }).click();
      await page.getByText(/^The test (failed|succeeded)$/).waitFor();
      return page.getByText('The test succeeded').isVisible();
    });
    expect(await page.content()).not.toContain(NEXT);
    expect(complaints).toEqual([]);
  }, 60_000);

  test('credentials are added, disabled, enabled and deleted, and the provider is deleted', async () => {
    await connect('keys', GOOD, 'Keys of the lab');
    const { page, open, complaints } = await visitAsOperator();
    await open('/operator/providers/keys');
    await page.getByRole('button', { name: 'Add credential' }).click();
    const form = page.getByRole('dialog', { name: 'Add credential' });
    await form.getByRole('textbox', { name: 'Credential name' }).fill('second');
    await form.getByText('Reference', { exact: true }).click();
    await form.getByRole('textbox', { name: 'Reference to the api key' }).fill('env:CREDENTIAL_SECOND');
    expect(await findFlaws(page)).toEqual([]);
    await form.getByRole('button', { name: 'Add credential' }).click();
    const second = credentialRow(page, 'second');
    await second.getByText('env:CREDENTIAL_SECOND').waitFor();

    await chooseAction(page, 'main', 'Disable');
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await credentialRow(page, 'main').getByText('Disabled').waitFor();
    await chooseAction(page, 'main', 'Enable');
    await credentialRow(page, 'main').getByText('Disabled').waitFor({ state: 'detached' });
    await chooseAction(page, 'second', 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete credential' }).click();
    await second.waitFor({ state: 'detached' });

    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Renamed');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await heading(page, 'Renamed').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete provider' }).click();
    await heading(page, 'Providers').waitFor();
    await page.getByRole('link', { name: 'Renamed' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  }, 60_000);

  test('a base URL with a placeholder is not sent, and a provider of the environment is not editable', async () => {
    const { page, open, complaints } = await visitAsOperator();
    await open('/operator/providers/new?endpoint=cloudflare');
    await page.getByRole('textbox', { name: 'API key', exact: true }).fill(GOOD);
    await page.getByRole('button', { name: 'Connect and test' }).click();
    await page.getByText('Replace {account_id}.').first().waitFor();
    await open('/operator/providers/sim');
    await page.getByText('Configured by the environment').waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Connect a provider' }).click();
    await page.getByRole('link', { name: /^Groq/ }).click();
    await page.getByText('The environment configures a provider of this ID.').waitFor();
    expect(await page.getByRole('textbox', { name: 'ID' }).inputValue()).toBe('sim');
    expect(complaints).toEqual([]);
  }, 60_000);

  test.each(Object.entries(VARIANTS))(
    'pages of a connected provider have no errors, are accessible, fit the window and do not shift in %s',
    async (variant, settings) => {
      const id = variant.startsWith('light') ? 'light' : 'dark';
      await connect(id, GOOD, LONG_NAME);
      const imported = {
        upstream_model: 'org/Large',
        context_length: 8_000,
        pricing: { tokens: { input: 1 } },
      };
      await admin(`/${id}/models/import`, { models: [imported] });
      const visitor = await visitAsOperator(settings);
      const paths = [`/operator/providers/${id}`, `/operator/providers/${id}/models`];
      for (const path of paths) {
        await expectNoFlaws(visitor, path);
      }
      expect(visitor.complaints).toEqual([]);
    },
    60_000,
  );
});
