import { GatewayError } from '@gateway/errors';
import type { LinkCall } from '@gateway/link';
import { createLogger } from '@gateway/process';
import { Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { describe, expect, test } from '@jest/globals';
import type { CallerRequest } from '../domain/caller-request';
import { parseResponsesRequest } from '../formats/responses/responses-request';
import type { AnswerChat } from './answer-chat';
import { answerResponse } from './answer-response';
import type { FoundResponse, LoadedResponse, ResponseStorage, ResponseToSave } from './response-storage';

const REQUEST_ID = '01890000-0000-7000-8000-000000000002';
const EARLIER = '01890000-0000-7000-8000-000000000001';
const MESSAGE = { id: `msg_${EARLIER}_0`, type: 'message', role: 'assistant', content: 'earlier' };
const STORED: LoadedResponse = {
  id: `resp_${EARLIER}`,
  input: Buffer.from('[{"id":"msg_x","role":"user","content":"first"}]'),
  response: Buffer.from(JSON.stringify({ output: [MESSAGE] })),
};
const SIZE: FoundResponse = { id: STORED.id, inputBytes: 100, responseBytes: 200 };
const USAGE = { input: 1, cache_read: 0, cache_write: 0, output: 1, reasoning: 0 };

const down = async () => {
  throw new GatewayError('internal_error');
};

interface Answered {
  readonly body?: Record<string, unknown>;
  readonly request?: CallerRequest;
  readonly error?: GatewayError;
  readonly saved: readonly ResponseToSave[];
  readonly outcomes: readonly string[];
  /** Bytes that were reserved while the call was answered, and afterwards. */
  readonly reserved: readonly [number, number];
}

/** Answers a call as the model "ok" would. */
async function answer(
  fields: object,
  more: Partial<ResponseStorage> = {},
  limit = 1e6,
  replyId?: string,
): Promise<Answered> {
  const saved: ResponseToSave[] = [];
  const outcomes: string[] = [];
  const bodies = new Quota({ limit });
  let request: CallerRequest | undefined;
  let reservedBytes = 0;
  const answerAsOk: AnswerChat = async (_context, _call, asked) => {
    request = asked;
    reservedBytes = bodies.used;
    const identity = { requestId: REQUEST_ID, model: 'a/b', createdAtMs: 0 };
    const whole = asked.replies.write(
      { parts: [{ kind: 'text', text: 'ok' }], stop: 'end' },
      { ...USAGE, costNano: 0n },
      identity,
    );
    return { status: 200, headers: {}, body: (await asked.beforeEnd?.(whole)) ?? whole };
  };
  const respond = answerResponse({
    answer: answerAsOk,
    storage: {
      find: async (_accountId, { lastId, otherIds }) => ({
        conversation: lastId ? [SIZE] : [],
        others: otherIds.map(() => SIZE),
      }),
      load: async (_accountId, wanted) => wanted.map(() => STORED),
      save: async (_accountId, response) => {
        saved.push(response);
      },
      queue: down,
      ...more,
    },
    bodies,
    metrics: { saved: (outcome) => outcomes.push(outcome) },
  });
  const context: RequestContext = {
    requestId: REQUEST_ID,
    signal: new AbortController().signal,
    log: createLogger('test', 'silent'),
  };
  const call = { key: { accountId: 'a' } } as LinkCall;
  const body = Buffer.from(JSON.stringify({ model: 'a/b', input: 'hi', ...fields }));
  const result = { saved, outcomes };
  try {
    const reply = await respond(context, call, parseResponsesRequest(body, { canStore: true }), replyId);
    const pieces: Buffer[] = [];
    if (Buffer.isBuffer(reply.body)) pieces.push(reply.body);
    else for await (const piece of reply.body) pieces.push(piece);
    const json = JSON.parse(Buffer.concat(pieces).toString());
    return { ...result, body: json, ...(request && { request }), reserved: [reservedBytes, bodies.used] };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { ...result, error, reserved: [reservedBytes, bodies.used] };
  }
}

const DOWN: ResponseStorage = { find: down, load: down, save: down, queue: down };

test('a call that is not to be stored and refers to nothing does not reach storage', async () => {
  const { body, request, outcomes } = await answer({ store: false }, DOWN);
  expect([body?.store, request?.beforeEnd, outcomes]).toEqual([false, undefined, []]);
});

test('a response is saved with its input, whose items have ids and complete members', async () => {
  const { body, saved, outcomes } = await answer({ previous_response_id: STORED.id });
  expect(outcomes).toEqual(['saved']);
  expect(saved).toMatchObject([{ id: `resp_${REQUEST_ID}`, previousId: STORED.id }]);
  expect(JSON.parse(`${saved[0]?.response}`)).toEqual(body);
  expect(JSON.parse(`${saved[0]?.input}`)).toEqual([
    {
      id: `msg_${REQUEST_ID}_in_0`,
      type: 'message',
      role: 'user',
      status: 'completed',
      content: [{ type: 'input_text', text: 'hi' }],
    },
  ]);
});

test('a response that cannot be saved says that it is not stored', async () => {
  const { body, outcomes } = await answer({}, DOWN);
  expect([body?.status, body?.store, outcomes]).toEqual(['completed', false, ['failed']]);
});

test('the call of a queued response is answered with what is to be stored, and saves nothing', async () => {
  const id = '01890000-0000-7000-8000-000000000003';
  const { body, request, saved, outcomes } = await answer({ background: true }, {}, 1e6, id);
  expect(request?.replyId).toBe(id);
  expect([body?.status, body?.background, body?.store]).toEqual(['completed', true, true]);
  expect([saved, outcomes]).toEqual([[], []]);
});

describe('a call that refers to stored items', () => {
  test.each<[string, object, string[]]>([
    ['a conversation', { previous_response_id: STORED.id }, ['user', 'assistant', 'user']],
    [
      'an item',
      {
        input: [
          { role: 'user', content: 'a' },
          { type: 'item_reference', id: MESSAGE.id },
          { role: 'user', content: 'b' },
        ],
      },
      ['user', 'assistant', 'user'],
    ],
  ])('has the items of %s, and their memory until it is answered', async (_what, fields, roles) => {
    const { request, reserved } = await answer({ ...fields, store: false });
    expect(request?.conversation().turns.map(({ role }) => role)).toEqual(roles);
    expect(reserved[0]).toBeGreaterThanOrEqual(SIZE.responseBytes);
    expect(reserved[1]).toBe(0);
  });

  test.each<[string, object, Partial<ResponseStorage>, string]>([
    ['when storage is down', { previous_response_id: STORED.id }, DOWN, 'internal_error'],
    ['to a response by a strange id', { previous_response_id: 'resp_\u0000' }, DOWN, 'not_found'],
    [
      'by an id that the gateway has not given',
      { input: [{ type: 'item_reference', id: 'msg_1' }] },
      DOWN,
      'not_found',
    ],
    [
      'to an item that its response lacks',
      { input: [{ type: 'item_reference', id: `msg_${EARLIER}_7` }] },
      {},
      'not_found',
    ],
    [
      'of more than 32 MiB',
      { previous_response_id: STORED.id },
      { find: async () => ({ conversation: [{ ...SIZE, inputBytes: 33 * 1024 ** 2 }], others: [] }) },
      'invalid_request',
    ],
  ])('fails before it is sent %s', async (_when, fields, more, code) => {
    const { error, request, reserved } = await answer(fields, more);
    expect([error?.code, request, reserved]).toEqual([code, undefined, [0, 0]]);
  });

  test('is refused when there is no memory for them', async () => {
    const { error } = await answer({ previous_response_id: STORED.id }, { load: down }, 10);
    expect(error?.code).toBe('rate_limited');
  });
});
