import { expect, test } from '@jest/globals';
import { parseTaskList } from './task-list';

const TASK = 'task_01934f5e-0000-7000-8000-000000000001';
const REQUEST = '01934f5e-0000-7000-8000-000000000002';

test.each([
  ['', { limit: 20 }],
  ['limit=1', { limit: 1 }],
  [`limit=100&after=${TASK}`, { limit: 100, after: TASK }],
  [`request_id=${REQUEST}`, { limit: 20, requestId: REQUEST }],
])('reads the query %j', (query, request) => {
  expect(parseTaskList(query)).toEqual(request);
});

test.each([
  ['limit=', 'limit: not a number from 1 to 100'],
  ['limit=0', 'limit: not a number from 1 to 100'],
  ['limit=101', 'limit: not a number from 1 to 100'],
  ['limit=1.5', 'limit: not a number from 1 to 100'],
  ['limit=1&limit=2', 'limit: given more than once'],
  ['after=', 'after: not the id of a task'],
  ['after=task_none', 'after: not the id of a task'],
  ['after=%00', 'after: not the id of a task'],
  ['request_id=7', 'request_id: not the id of a request'],
  ['order=asc', 'order: unknown parameter'],
])('rejects the query %j', (query, detail) => {
  expect(() => parseTaskList(query)).toThrow(expect.objectContaining({ code: 'invalid_request', detail }));
});
