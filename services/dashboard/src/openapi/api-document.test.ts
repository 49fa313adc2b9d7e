import { execFile } from 'node:child_process';
import path from 'node:path';
import { DASHBOARD_ERROR_TABLE, ERROR_TABLE } from '@gateway/errors';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type EndpointDependencies, endpoints } from '../routes/endpoints';
import { type Dashboard, startDashboard, startWorld, type World } from '../testing/dashboard-fixture';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;
beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world, { PUBLIC_API_URL: 'https://api.example.com' });
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there.
type Loose = any;

/** Uses the validator in a child process, because jest cannot load it. */
function validate(document: unknown): Promise<{ valid: boolean; errors?: unknown }> {
  const script = `import { Validator } from '@seriousme/openapi-schema-validator';
    let text = '';
    for await (const part of process.stdin) text += part;
    console.log(JSON.stringify(await new Validator().validate(JSON.parse(text))));`;
  return new Promise((resolve, reject) => {
    const options = { cwd: path.join(__dirname, '../..'), timeout: 20_000 };
    const child = execFile(
      process.execPath,
      ['--input-type=module', '-e', script],
      options,
      (error, stdout) => (error ? reject(error) : resolve(JSON.parse(stdout))),
    );
    child.stdin?.end(JSON.stringify(document));
  });
}

describe('the API document', () => {
  test('is valid OpenAPI 3.1, and public', async () => {
    const response = await dashboard.fetch('/openapi.json');
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const document = (await response.json()) as Loose;
    expect(document.openapi).toBe('3.1.0');
    expect(document.paths['/v1/chat/completions'].post.servers[0].url).toBe('https://api.example.com');
    expect(await validate(document)).toEqual({ valid: true });
    expect(await validate({ ...document, info: {} })).toMatchObject({ valid: false });
  });

  test('has exactly the endpoints below /api/v1, with their methods', () => {
    const own = endpoints({} as EndpointDependencies).map(
      ({ method, path }) => `${method} /api/v1${path.replace(/[:*](\w+)/g, '{$1}')}`,
    );
    const real = [
      ...own,
      'GET /api/v1/playground/videos/files/{token}',
      'POST /api/v1/playground/chat',
      'POST /api/v1/playground/images',
      'POST /api/v1/playground/images/edits',
      'POST /api/v1/playground/videos/{provider}/create',
      'POST /api/v1/playground/videos/{provider}/result',
      'POST /api/v1/playground/videos/{provider}/status',
    ];
    const documented = dashboard.check.operations
      .filter(({ path }) => path.startsWith('/api/v1/'))
      .map(({ method, path }) => `${method} ${path}`);
    expect(documented.sort()).toEqual(real.sort());
    const ids = dashboard.check.operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has every error code, with a valid example and an operation that returns it', () => {
    const { components } = dashboard.check.document as Loose;
    const codes = Object.keys({ ...ERROR_TABLE, ...DASHBOARD_ERROR_TABLE });
    expect(Object.keys(components.examples)).toEqual(codes);
    const isError = dashboard.check.validatorOf('Error', components.schemas.Error);
    for (const { value } of Object.values<Loose>(components.examples)) expect(isError(value)).toBe(true);
    const answered = dashboard.check.operations.flatMap(({ operation }) =>
      Object.values<Loose>(operation.responses).flatMap(({ content }) =>
        Object.keys(content['application/json']?.examples ?? {}),
      ),
    );
    expect(codes.filter((code) => !answered.includes(code))).toEqual([]);
  });

  test('has valid schemas without dangling references', () => {
    const { components } = dashboard.check.document as Loose;
    for (const [name, schema] of Object.entries(components.schemas)) {
      expect(() => dashboard.check.validatorOf(`component ${name}`, schema)).not.toThrow();
    }
    const resolved = (reference: string) =>
      reference
        .slice(2)
        .split('/')
        .reduce((at, step) => at?.[step], dashboard.check.document as Loose);
    const references = JSON.stringify(dashboard.check.document).match(/#\/components\/\w+\/\w+/g) ?? [];
    expect(references.filter((reference) => resolved(reference) === undefined)).toEqual([]);
    for (const { operation, path } of dashboard.check.operations) {
      for (const [type, { schema }] of Object.entries<Loose>(
        (operation.requestBody as Loose)?.content ?? {},
      )) {
        expect(() => dashboard.check.validatorOf(`${path} ${type}`, schema)).not.toThrow();
      }
    }
  });
});

test('has examples that match their schemas', () => {
  const examples = dashboard.check.operations.flatMap(({ path, operation: { requestBody, responses } }) =>
    [requestBody, responses[200]].flatMap((part: Loose, index) =>
      Object.entries<Loose>(part?.content ?? {})
        .filter(([, { example }]) => example !== undefined)
        .map(([, { schema, example }]) => ({ name: `${path} example ${index}`, schema, example })),
    ),
  );
  expect(examples.length).toBeGreaterThan(10);
  for (const { name, schema, example } of examples) {
    const validate = dashboard.check.validatorOf(name, schema);
    expect([name, validate(example), validate.errors]).toEqual([name, true, null]);
  }
});

test('the response check reports undocumented responses', () => {
  const problem = (status: number, json: unknown, contentType = 'application/json; charset=utf-8') =>
    dashboard.check.problemOf('GET', '/api/v1/billing/limits', { status, contentType, json });
  const error = (code: string) => ({ error: { type: 'not_found_error', code, message: 'x' } });
  expect(problem(200, { daily_limit: null, when_short: 'lower' })).toBeUndefined();
  expect(problem(200, { daily_limit: null })).toContain('when_short');
  expect(problem(200, { daily_limit: null, when_short: 'lower', more: 1 })).toContain('additional');
  expect(problem(404, error('not_found'))).toBeUndefined();
  expect(problem(404, error('model_not_found'))).toContain('model_not_found is not documented');
  expect(problem(418, error('not_found'))).toContain('no such status');
  expect(problem(200, {}, 'text/html')).toContain('text/html is not documented');
});

describe('the documentation page', () => {
  test('has each operation, its own style sheet and no script', async () => {
    const response = await dashboard.fetch('/docs');
    const html = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'");
    for (const { operation } of dashboard.check.operations) {
      expect(html).toContain(`<section id="${operation.operationId}" `);
    }
    expect(html).not.toMatch(/<script|style=|\son\w+=|undefined|\[object/);
    const style = await dashboard.fetch('/docs.css');
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
  });
});
