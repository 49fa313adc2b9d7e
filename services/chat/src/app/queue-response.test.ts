import { GatewayError } from '@gateway/errors';
import { type LinkCall, UNRECORDED } from '@gateway/link';
import { Quota } from '@gateway/quota';
import { expect, test } from '@jest/globals';
import { parseResponsesRequest } from '../formats/responses/responses-request';
import { type QueueResponseDeps, queueResponse } from './queue-response';
import type { ResponseStorage, ResponseToQueue } from './response-storage';

const ID = '01890000-0000-7000-8000-000000000001';
const EARLIER = 'resp_01890000-0000-7000-8000-000000000002';
const STORED = { id: EARLIER, input: Buffer.from('[]'), response: Buffer.from('{"output":[]}') };

/** Queues a call, and returns what storage and the caller receive. */
async function queue(
  fields: object,
  {
    check = () => 'a/b',
    requireFunds = async () => {},
    ...more
  }: Partial<Pick<QueueResponseDeps, 'check' | 'requireFunds'> & ResponseStorage> = {},
) {
  const queued: ResponseToQueue[] = [];
  const bodies = new Quota({ limit: 1_000 });
  const unused = () => Promise.reject(new Error('not used'));
  const storage: ResponseStorage = {
    find: async () => ({ conversation: [{ id: EARLIER, inputBytes: 10, responseBytes: 10 }], others: [] }),
    load: async () => [STORED],
    save: unused,
    queue: async (_accountId, response) => void queued.push(response),
    ...more,
  };
  const body = Buffer.from(JSON.stringify({ model: 'a/B', input: 'hi', background: true, ...fields }));
  const call = { key: { accountId: 'a', keyId: 'k' }, body } as LinkCall;
  const answer = queueResponse({ check, storage, requireFunds, bodies, newId: () => ID, now: () => 5_000 });
  try {
    const {
      status,
      headers,
      body: reply,
    } = await answer(call, parseResponsesRequest(body, { canStore: true }));
    return { status, headers, response: JSON.parse(String(reply)), queued, body, reserved: bodies.used };
  } catch (error) {
    return { error: GatewayError.from(error), queued, body, reserved: bodies.used };
  }
}

test('a call is queued with its body, its input items and the response that its caller receives', async () => {
  const { status, headers, response, queued, body } = await queue({ metadata: { a: 'b' } });
  expect(status).toBe(200);
  expect(headers).toHaveProperty(UNRECORDED);
  expect(response).toMatchObject({
    id: `resp_${ID}`,
    status: 'queued',
    background: true,
    store: true,
    created_at: 5,
    model: 'a/b',
    metadata: { a: 'b' },
    output: [],
  });
  expect(queued).toMatchObject([{ id: `resp_${ID}`, keyId: 'k', previousId: undefined, body }]);
  expect(JSON.parse(String(queued[0]?.response))).toEqual(response);
  expect(JSON.parse(String(queued[0]?.input))).toMatchObject([{ id: `msg_${ID}_in_0`, role: 'user' }]);
});

test('a call that continues a conversation is checked with all of its items, whose memory is released', async () => {
  let turns = 0;
  const { queued, reserved } = await queue(
    { previous_response_id: EARLIER },
    {
      load: async () => [{ ...STORED, input: Buffer.from('[{"role":"user","content":"first"}]') }],
      check(_call, request) {
        turns = request.conversation().turns.length;
        return 'a/b';
      },
    },
  );
  expect(turns).toBeGreaterThan(0);
  expect(queued).toMatchObject([{ previousId: EARLIER }]);
  expect(JSON.parse(String(queued[0]?.input))).toHaveLength(1);
  expect(reserved).toBe(0);
});

test.each<[string, object, Parameters<typeof queue>[1], string]>([
  [
    'the model is unknown',
    {},
    {
      check: () => {
        throw new GatewayError('model_not_found');
      },
    },
    'model_not_found',
  ],
  ['it has more than 12 MiB with its items', { input: 'x'.repeat(7 * 1024 ** 2) }, {}, 'invalid_request'],
  [
    'what it continues has not ended',
    { previous_response_id: EARLIER },
    { find: () => Promise.reject(new GatewayError('invalid_request')) },
    'invalid_request',
  ],
])('nothing is queued if %s', async (_what, fields, more, code) => {
  const { error, queued, reserved } = await queue(fields, more);
  expect([error?.code, queued, reserved]).toEqual([code, [], 0]);
});

test('an account without a balance stores nothing: its call is refused before it is queued', async () => {
  const requireFunds = () => Promise.reject(new GatewayError('insufficient_balance'));
  const { error, queued, reserved } = await queue({ previous_response_id: EARLIER }, { requireFunds });
  expect([error?.code, queued, reserved]).toEqual(['insufficient_balance', [], 0]);
});

test('a call that must be stored asks for that, others do not', async () => {
  const asked: boolean[] = [];
  const find: ResponseStorage['find'] = async (_reader, { stores }) => {
    asked.push(stores);
    throw new GatewayError('invalid_request');
  };
  expect((await queue({ store: true }, { find })).error?.code).toBe('invalid_request');
  expect((await queue({}, { find })).error).toBeUndefined();
  await queue({ previous_response_id: EARLIER }, { find });
  expect(asked).toEqual([true, true]);
});
