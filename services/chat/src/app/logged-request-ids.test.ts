import { expect, test } from '@jest/globals';
import { callThrough, requestOf } from './recorded-call.fixture';
import { providerOf } from './upstream-request.fixture';

const CHUNK =
  'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';

async function* bodyOf(text: string, breaks: boolean): AsyncGenerator<Buffer> {
  if (text !== '') yield Buffer.from(text);
  if (breaks) throw new Error('socket hang up');
}

test.each([
  ['a stream that breaks', true, CHUNK, true],
  [
    'a stream with an error after content',
    true,
    `${CHUNK}data: {"error":{"message":"overloaded"}}\n\n`,
    false,
  ],
  ['a stream that breaks before its first event', true, '', true],
  ['a stream that begins with an error', true, 'data: {"error":{"message":"overloaded"}}\n\n', false],
  ['a complete reply that breaks', false, '{"id":', true],
  ['a complete reply that breaks before its first byte', false, '', true],
  ['a complete reply of another format', false, '{"unexpected":true}', false],
  ['a complete reply that is an error', false, '{"error":{"message":"overloaded","code":500}}', false],
  [
    'a complete reply that is an error behind other members',
    false,
    '{"code":500,"message":"overloaded"}',
    false,
  ],
])("the log names the provider's id of %s", async (_name, isStream, body, breaks) => {
  const warned: object[] = [];
  const headers = {
    'x-request-id': 'req_7',
    'content-type': isStream ? 'text/event-stream' : 'application/json',
  };
  const upstream = { send: async () => ({ status: 200, headers, body: bodyOf(body, breaks) }) };
  await callThrough(providerOf('openai'), upstream, requestOf('openai', isStream), [], warned);
  expect(warned).toContainEqual(
    expect.objectContaining({ err: expect.objectContaining({ providerRequestId: 'req_7' }) }),
  );
});
