import type { LinkCall } from '@gateway/link';
import { CpuTimeQuota, Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { expect, test } from '@jest/globals';
import type { ResponseStorage } from '../app/response-storage';
import { countInputTokens } from './count-input-tokens';

const EARLIER = 'resp_01890000-0000-7000-8000-000000000002';
const MODEL = { slug: 'a/b', active: true, preview: false, outputModalities: ['text'] };
const unused = () => Promise.reject(new Error('not used'));
const STORAGE: ResponseStorage = {
  find: async () => ({ conversation: [{ id: EARLIER, inputBytes: 10, responseBytes: 10 }], others: [] }),
  load: async () => [
    {
      id: EARLIER,
      input: Buffer.from('[{"role":"user","content":"What is the capital of France, and since when?"}]'),
      response: Buffer.from('{"output":[]}'),
    },
  ],
  save: unused,
  queue: unused,
};

function count(fields: object, storage: ResponseStorage | undefined = STORAGE) {
  const bodies = new Quota({ limit: 1_000 });
  const admitted: unknown[] = [];
  const handler = countInputTokens({
    models: { loaded: true, get: () => MODEL } as never,
    admission: {
      admitFree: async (_context, call) => {
        admitted.push(call);
        return { 'x-ratelimit-limit-requests': '5' };
      },
    },
    counting: new CpuTimeQuota({ nowMs: () => 0, cpuMs: () => 0, limitMs: 1_000, minimumMs: 100 }),
    storage,
    bodies,
    options: { canStore: storage !== undefined },
  });
  const key = { accountId: 'a', keyId: 'k', allowedModels: [], previewModels: [], scopes: [] };
  const body = Buffer.from(JSON.stringify({ model: 'a/b', input: 'And of Spain?', ...fields }));
  const call = { method: 'POST', path: '/v1/responses/input_tokens', key, body } as unknown as LinkCall;
  return handler({ requestId: 'r' } as RequestContext, call).then(({ headers, body: reply }) => ({
    headers,
    reply: JSON.parse(String(reply)),
    admitted: admitted.length,
    reserved: bodies.used,
  }));
}

test('counts the input, its instructions and tools, for free', async () => {
  const plain = await count({});
  expect(plain).toMatchObject({
    reply: { object: 'response.input_tokens', input_tokens: expect.any(Number) },
    headers: { 'x-ratelimit-limit-requests': '5' },
    admitted: 1,
  });
  const more = await count({
    instructions: 'Answer in one word.',
    tools: [{ type: 'function', name: 'capital_of', parameters: { type: 'object', properties: {} } }],
  });
  expect(plain.reply.input_tokens).toBeGreaterThan(3);
  expect(more.reply.input_tokens).toBeGreaterThan(plain.reply.input_tokens + 8);
});

test('counts the conversation that it continues, whose memory is released', async () => {
  const alone = await count({ store: true });
  const { reply, reserved } = await count({ previous_response_id: EARLIER });
  expect(reply.input_tokens).toBeGreaterThan(alone.reply.input_tokens + 8);
  expect(reserved).toBe(0);
});

test('refuses a body that no response could be made from', async () => {
  await expect(count({ input: [] })).rejects.toMatchObject({ code: 'missing_parameter', param: 'input' });
  await expect(count({ model: null })).rejects.toMatchObject({ code: 'invalid_model' });
});
