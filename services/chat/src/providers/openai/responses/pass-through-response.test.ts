import { GatewayError } from '@gateway/errors';
import { Quota } from '@gateway/quota';
import { expect, test } from '@jest/globals';
import type { PassedReply, PassThroughEvent } from '../../../domain/chat-provider';
import { sealed } from './encrypted-reasoning';
import { PassThroughResponse } from './pass-through-response';

const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60, cache_write_tokens: 0 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 109,
};
const IDENTITY = { requestId: '01a2', model: 'openai/gpt', createdAtMs: 0 };

function streamTo(request: PassedReply['request']) {
  const stream = new PassThroughResponse({
    to: { identity: IDENTITY, request },
    account: 'acct',
    bufferQuota: new Quota({ limit: 1e6 }),
    chargedNano: () => 1_500n,
  });
  let sequence = 0;
  const take = (type: string, members: object): PassThroughEvent =>
    stream.take(
      Buffer.from(
        `event: response.${type}\ndata: ${JSON.stringify({ type: `response.${type}`, ...members, sequence_number: sequence++ })}\n\n`,
      ),
    );
  const dataOf = (event: PassThroughEvent) => {
    if (!('bytes' in event)) throw new Error(event.kind);
    return JSON.parse(/^data: (.*)$/m.exec(event.bytes.toString())![1]!);
  };
  return { stream, take, read: (type: string, members: object) => dataOf(take(type, members)) };
}

const response = {
  id: 'resp_theirs',
  model: 'gpt-2099',
  store: false,
  billing: { payer: 'developer' },
  output: [],
};
const reasoning = { id: 'rs_theirs', type: 'reasoning', summary: [], encrypted_content: 'SECRET' };
const message = { id: 'msg_theirs', type: 'message', content: [] };

test('a response and its items have ids by which the gateway finds them', () => {
  const { take, read } = streamTo({ parsed: { previous_response_id: 'resp_01' }, isStored: true });
  expect(read('created', { response }).response).toEqual({
    ...{ id: 'resp_01a2', model: 'openai/gpt', store: true, background: false, output: [] },
    ...{ previous_response_id: 'resp_01', max_output_tokens: null, max_tool_calls: null, tools: [] },
  });
  expect(read('output_item.added', { output_index: 1, item: message }).item.id).toBe('msg_01a2_1');
  const delta = { item_id: 'msg_theirs', output_index: 1, content_index: 0, delta: '"item_id":"msg_theirs"' };
  expect(read('output_text.delta', delta)).toMatchObject({ ...delta, item_id: 'msg_01a2_1' });
  expect(take('keepalive.unknown', {})).toMatchObject({ kind: 'pass' });
  const ended = read('completed', { response: { ...response, output: [reasoning, message], usage: USAGE } });
  expect(ended.response.output.map(({ id }: { id: string }) => id)).toEqual(['rs_01a2_0', 'msg_01a2_1']);
});

test("a response has no null that OpenAI's document does not know, and functions have all members", () => {
  const { read } = streamTo({ parsed: {} });
  const tools = [{ type: 'function', name: 'look' }];
  const shown = read('created', { response: { ...response, usage: null, user: null, tools } }).response;
  expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['usage']));
  expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['user']));
  expect(shown.tools).toEqual([{ type: 'function', name: 'look', parameters: null, strict: null }]);
});

test.each([
  ['has encrypted content that the account can be told again', ['reasoning.encrypted_content'], true],
  ['has no encrypted content that its caller did not ask for', [], false],
])('a reasoning item %s', (_name, include, isShown) => {
  const { read } = streamTo({ parsed: { include } });
  const { item } = read('output_item.done', { output_index: 0, item: reasoning });
  const shown = isShown ? sealed('acct', 'rs_theirs', 'SECRET') : undefined;
  expect(item.encrypted_content).toBe(shown);
});

test('the last event waits for the bill, and has the cost and not what the provider charges', () => {
  const { stream, take } = streamTo({ parsed: {} });
  const usage = { ...USAGE, cost_in_usd_ticks: 5 };
  const search = { id: 'ws_1', type: 'web_search_call', action: { type: 'search', query: 'q' } };
  const opened = { id: 'ws_2', type: 'web_search_call', action: { type: 'open_page', url: 'u' } };
  const event = take('completed', { response: { ...response, output: [search, opened], usage } });
  expect(event.kind).toBe('done');
  const { bytes } = event as { bytes: Buffer };
  expect(JSON.parse(/^data: (.*)$/m.exec(bytes.toString())![1]!).response.usage).toEqual({
    ...USAGE,
    cost: 0.0000015,
  });
  expect(stream.usage).toEqual({
    ...{ input: 40, cache_read: 60, cache_write: 0, output: 9, reasoning: 4 },
    units: { web_search: 1, web_search_prompt: 1 },
  });
});

test('a stream that breaks ends with a failed response, numbered after its last event', () => {
  const { stream, take } = streamTo({ parsed: {}, isStored: true });
  take('created', { response });
  take('output_text.delta', { item_id: 'msg_theirs', delta: 'x' });
  const frame = stream.errorFrame(new GatewayError('upstream_failed'))!;
  expect(JSON.parse(/^data: (.*)$/m.exec(frame)![1]!)).toMatchObject({
    ...{ type: 'response.failed', sequence_number: 2 },
    response: { id: 'resp_01a2', status: 'failed', store: false, error: { code: 'upstream_failed' } },
  });
  expect(take('failed', { response: { ...response, error: { code: 'server_error' } } }).kind).toBe('error');
});

test('the text that has passed is counted when the provider reports no figures', () => {
  const { stream, take } = streamTo({ parsed: {} });
  for (const delta of ['Hello', ' world'])
    take('output_text.delta', { item_id: 'msg_theirs', delta, obfuscation: 'abcdefghijklmnop' });
  expect(stream.usage).toBeUndefined();
  expect([stream.estimateOutput(), stream.countOutput()]).toEqual([3, 2]);
});

test('events that are written with spaces are named and counted alike, and searches count before the end', () => {
  const { stream, take } = streamTo({ parsed: {} });
  take('output_item.added', { output_index: 0, item: message });
  const spaced = '{ "type": "response.output_text.delta", "item_id": "msg_theirs", "delta": "Hello" }';
  const event = stream.take(Buffer.from(`data: ${spaced}\n\n`)) as { bytes: Buffer };
  expect(event.bytes.toString()).toContain('"item_id":"msg_01a2_0"');
  const search = { id: 'ws_1', type: 'web_search_call', action: { type: 'search', query: 'q' } };
  take('output_item.done', { output_index: 1, item: search });
  expect([stream.countOutput(), stream.searches]).toEqual([1, 1]);
});

test('an event that is cut is an error', () => {
  const { stream } = streamTo({ parsed: {} });
  expect(() => stream.take(Buffer.from('data: {"type":"response.output_text.delta","del\n\n'))).toThrow();
});

test('a response that ends without the items that were streamed has them', () => {
  const { read } = streamTo({ parsed: {}, isStored: true });
  read('created', { response });
  const said = { ...message, content: [{ type: 'output_text', text: 'Blue.', annotations: [] }] };
  for (const [output_index, item] of [reasoning, said].entries())
    read('output_item.done', { output_index, item });
  const ended = read('completed', { response: { ...response, output: [], usage: USAGE } }).response;
  expect(ended.output).toEqual([
    { ...reasoning, id: 'rs_01a2_0', encrypted_content: sealed('acct', 'rs_theirs', 'SECRET') },
    { ...said, id: 'msg_01a2_1' },
  ]);
});

test.each([null, '', 'null', {}, undefined])('a call whose arguments are %j has an empty object', (args) => {
  const { read } = streamTo({ parsed: {} });
  const item = { id: 'fc_theirs', type: 'function_call', call_id: 'call_1', name: 'find', arguments: args };
  expect(read('output_item.done', { output_index: 0, item }).item.arguments).toBe('{}');
  const done = { item_id: 'fc_theirs', output_index: 0, arguments: args };
  expect(read('function_call_arguments.done', done)).toMatchObject({ item_id: 'fc_01a2_0', arguments: '{}' });
  const bare = { ...item, call_id: '' };
  const { output } = read('completed', { response: { ...response, output: [bare] } }).response;
  expect(output[0]).toMatchObject({ arguments: '{}', call_id: expect.stringMatching(/^[\w-]+$/) });
});

test.each<[string, string[], string | undefined, string]>([
  ['are null', ['null'], 'null', '{}'],
  ['are null in pieces', ['', 'nu', 'll', ' '], 'null', '{}'],
  ['begin with white space', [' ', '\n', '{"q"', ':1}'], ' \n{"q":1}', ' \n{"q":1}'],
  ['have no pieces', [], '', '{}'],
  ['have no pieces, but an end', [], '{"q":1}', '{"q":1}'],
  ['have neither pieces nor an end but the item', [], undefined, '{"q":1}'],
])('the pieces of arguments that %s are those of the end', (_how, deltas, done, args) => {
  const { stream } = streamTo({ parsed: {} });
  let sequence_number = 0;
  const passed: { type: string; item_id: string; delta: string; arguments: string; item: typeof item }[] = [];
  const send = (type: string, members: object) => {
    const data = {
      type: `response.${type}`,
      sequence_number: sequence_number++,
      output_index: 0,
      ...members,
    };
    const event = stream.take(Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`));
    if (event.kind === 'hide' || event.kind === 'error') return;
    for (const [, json] of event.bytes.toString().matchAll(/^data: (.*)$/gm)) passed.push(JSON.parse(json!));
  };
  const item = { id: 'fc_theirs', type: 'function_call', call_id: 'call_1', name: 'find', arguments: '' };
  send('output_item.added', { item });
  for (const delta of deltas) send('function_call_arguments.delta', { item_id: 'fc_theirs', delta });
  if (done !== undefined) send('function_call_arguments.done', { item_id: 'fc_theirs', arguments: done });
  send('output_item.done', { item: { ...item, arguments: done ?? args } });
  const pieces = passed.filter(({ type }) => type === 'response.function_call_arguments.delta');
  expect(pieces.map(({ delta }) => delta).join('')).toBe(args);
  expect(pieces.every(({ item_id }) => item_id === 'fc_01a2_0')).toBe(true);
  const [end] = passed.filter(({ type }) => type === 'response.function_call_arguments.done');
  expect([end?.arguments ?? args, passed.at(-1)!.item.arguments]).toEqual([args, args]);
});

/** Returns the events that pass of calls that are streamed, by the index of each. */
function passedOf(events: readonly (readonly [type: string, index: number, members: object])[]) {
  const { take } = streamTo({ parsed: {} });
  return events.flatMap(([type, index, members]) => {
    const event = take(type, { output_index: index, item_id: `fc_${index}`, ...members });
    if (!('bytes' in event)) return [];
    return [...event.bytes!.toString().matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!));
  });
}
const callOf = (index: number, args: unknown) => ({
  item: { id: `fc_${index}`, type: 'function_call', call_id: `call_${index}`, name: 'find', arguments: args },
});

test.each(['{"q":1}', { q: 1 }, 'null', null])(
  'a call begins without the arguments %j, which follow',
  (args) => {
    const whole = args && args !== 'null' ? '{"q":1}' : '{}';
    const [begun, piece, ...ended] = passedOf([
      ['output_item.added', 0, callOf(0, args)],
      ['function_call_arguments.done', 0, { arguments: args }],
      ['output_item.done', 0, callOf(0, args)],
    ]);
    expect([begun.item.arguments, piece.delta]).toEqual(['', whole]);
    expect([ended[0].arguments, ended[1].item.arguments]).toEqual([whole, whole]);
  },
);

test('pieces that were held back follow the events of other calls that have passed', () => {
  const passed = passedOf([
    ['output_item.added', 0, callOf(0, '')],
    ['function_call_arguments.delta', 0, { delta: 'null' }],
    ['output_item.added', 1, callOf(1, '')],
    ['function_call_arguments.delta', 1, { delta: '{}' }],
    ['function_call_arguments.done', 1, { arguments: '{}' }],
    ['function_call_arguments.done', 0, { arguments: 'null' }],
  ]);
  const numbers = passed.map(({ sequence_number }) => sequence_number);
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  expect(passed.map(({ output_index }) => output_index)).toEqual([0, 1, 1, 1, 0, 0]);
});

test('items of other types pass as they are, and a compaction keeps its content', () => {
  const { read } = streamTo({ parsed: {} });
  const shell = {
    id: 'sh_theirs',
    type: 'shell_call',
    call_id: 'c',
    status: 'completed',
    action: { commands: ['ls'] },
  };
  expect(read('output_item.done', { output_index: 0, item: shell }).item).toEqual({
    ...shell,
    id: 'sh_01a2_0',
  });
  const compaction = { id: 'cmp_theirs', type: 'compaction', encrypted_content: 'SECRET' };
  expect(read('output_item.done', { output_index: 1, item: compaction }).item).toEqual({
    ...compaction,
    id: 'cmp_01a2_1',
    encrypted_content: sealed('acct', 'cmp_theirs', 'SECRET'),
  });
});
