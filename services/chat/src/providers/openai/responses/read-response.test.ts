import { expect, test } from '@jest/globals';
import { ResponseEventReader, readResponse } from './read-response';

const TEXT = 'It rains in Oslo.';
const annotation = {
  type: 'url_citation',
  start_index: 0,
  end_index: 8,
  url: 'https://a.example',
  title: 'A',
};
const OUTPUT = [
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Look it up.' }] },
  {
    ...{ type: 'web_search_call', id: 'ws_1' },
    action: { type: 'search', query: 'oslo', sources: [{ type: 'url', url: 'https://a.example' }] },
  },
  { type: 'web_search_call', id: 'ws_2', action: { type: 'open_page', url: 'https://a.example' } },
  { type: 'message', content: [{ type: 'output_text', text: TEXT, annotations: [annotation] }] },
  { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
];
const SEARCH = {
  ...{ kind: 'web_search', id: 'ws_1', query: 'oslo' },
  results: [{ url: 'https://a.example', title: 'https://a.example' }],
};
const CITATION = { url: 'https://a.example', title: 'A', cited: 'It rains', quote: '' };

test('a complete response has its parts in order; an opened page is none', () => {
  const { parts, stop } = readResponse({ status: 'completed', output: OUTPUT });
  expect(stop).toBe('tool_calls');
  expect(parts).toMatchObject([
    { kind: 'thinking', text: 'Look it up.' },
    SEARCH,
    { kind: 'text', text: TEXT, citations: [CITATION] },
    { kind: 'tool_call', id: 'call_1', name: 'f', arguments: '{}' },
  ]);
});

test.each([
  [{ status: 'completed', output: [] }, 'end'],
  [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [] }, 'length'],
  [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] }, 'refusal'],
  [
    { status: 'completed', output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }] },
    'refusal',
  ],
])('%j stops with %s', (response, stop) => {
  expect(readResponse(response).stop).toBe(stop);
});

test('a stream has the same parts', () => {
  const reader = new ResponseEventReader();
  const read = (type: string, members: object) =>
    reader.read(
      Buffer.from(
        `event: response.${type}\ndata: ${JSON.stringify({ type: `response.${type}`, ...members })}\n\n`,
      ),
    );
  expect(read('created', { response: {} })).toEqual([]);
  expect(read('output_item.done', { output_index: 1, item: OUTPUT[1] })).toEqual([SEARCH]);
  expect(read('output_item.done', { output_index: 2, item: OUTPUT[2] })).toEqual([]);
  expect(read('output_text.delta', { output_index: 3, delta: TEXT })).toEqual([{ kind: 'text', text: TEXT }]);
  expect(read('output_text.annotation.added', { output_index: 3, annotation })).toEqual([
    { kind: 'citation', citation: CITATION },
  ]);
  expect(read('output_item.added', { output_index: 4, item: OUTPUT[4] })).toEqual([
    { kind: 'tool_call', call: 0, id: 'call_1', name: 'f' },
  ]);
  expect(read('function_call_arguments.delta', { output_index: 4, delta: '{}' })).toEqual([
    { kind: 'tool_arguments', call: 0, text: '{}' },
  ]);
  const usage = { input_tokens: 5, output_tokens: 7 };
  expect(read('completed', { response: { status: 'completed', output: OUTPUT, usage } })).toEqual([
    { kind: 'stop', stop: 'tool_calls' },
  ]);
  expect([reader.ended, reader.usage]).toMatchObject([
    true,
    { input: 5, output: 7, units: { web_search: 1 } },
  ]);
});

test('arguments that come only with the complete call are read from it', () => {
  const reader = new ResponseEventReader();
  const read = (type: string, members: object) =>
    reader.read(Buffer.from(`data: ${JSON.stringify({ type: `response.${type}`, ...members })}\n\n`));
  const item = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' };
  read('output_item.added', { output_index: 0, item: { ...item, arguments: '' } });
  expect(read('output_item.done', { output_index: 0, item })).toEqual([
    { kind: 'tool_arguments', call: 0, text: '{"a":1}' },
  ]);
});

test.each(['response.failed', 'error'])('a stream with the event %s is broken', (type) => {
  const reader = new ResponseEventReader();
  const event = Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, code: 'server_error' })}\n\n`);
  expect(() => reader.read(event)).toThrow();
});
