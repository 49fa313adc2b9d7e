import { expect, test } from '@jest/globals';
import { V1_OPERATIONS, type V1Operation } from '../../../services/dashboard/src/openapi/v1-operations';
import { API_ROUTES, findApiRoute } from '../../../services/edge/src/routes/api-routes';

const SAMPLES: Readonly<Record<string, string>> = {
  provider: 'sim',
  model: 'openai/gpt-x',
  token: 'abc.1',
  response_id: 'resp_1',
  file_id: 'file-1',
  batch_id: 'batch_1',
};

const routeOf = ({ method, path }: V1Operation) =>
  findApiRoute(
    method,
    path.replace(/\{(\w+)\}/g, (_, name) => SAMPLES[name] ?? ''),
  );

test('every API route of edge is documented, and no other path is', () => {
  const documented = new Set(V1_OPERATIONS.map(routeOf));
  expect(documented).toEqual(new Set(API_ROUTES));
});

test('no operation is documented twice', () => {
  const operations = V1_OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  expect(operations).toEqual([...new Set(operations)]);
});

test.each(V1_OPERATIONS)('$method $path accepts the documented body and credentials', (operation) => {
  const route = routeOf(operation);
  const body = operation.form ? 'form' : operation.body ? 'json' : 'none';
  expect([route?.body, route?.keyless ?? false]).toEqual([body, operation.keyless ?? false]);
});
