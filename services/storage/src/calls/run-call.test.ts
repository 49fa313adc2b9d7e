import { GatewayError } from '@gateway/errors';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Charge } from './billing-calls';
import { AnswerLost, CallNotSent, type ChatCall } from './chat-calls';
import type { ChatReply } from './rules/call-end';
import { type RunOptions, runCall } from './run-call';

const timers = jest.requireActual<typeof import('node:timers/promises')>('node:timers/promises');
// Waits take no time, and the clock shows that they have passed.
beforeEach(() => {
  jest.useFakeTimers();
  jest.spyOn(timers, 'setTimeout').mockImplementation(async (ms, value) => {
    jest.advanceTimersByTime(ms ?? 0);
    return value as never;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const CALL = {
  accountId: 'a',
  keyId: 'k',
  path: '/v1/chat/completions',
  headers: {},
  body: Buffer.from('{}'),
};
const REPLY: ChatReply = { headers: {}, body: Buffer.from('{"ok":true}'), release: () => {} };
const KEY = { detailedMessages: true } as never;
const NOTHING: Charge = { state: 'ended', nano: 0n };
const charged = (nano: bigint): Charge => ({ state: 'ended', nano });
const upstreamFailed = () => new GatewayError('upstream_failed');

/**
 * Runs a call whose attempts end with these answers in order, and whose charges are looked up with these results, the last of
 * which repeats.
 */
async function run(
  answers: readonly (ChatReply | Error)[],
  charges: readonly (Charge | Error)[] = [NOTHING],
  more: Partial<RunOptions> = {},
) {
  const sent: string[] = [];
  const begun: string[] = [];
  const lookedUp: string[] = [];
  const waits: number[] = [];
  const queue = [...answers];
  const states = [...charges];
  const end = await runCall(
    {
      chat: {
        async send({ requestId }: ChatCall) {
          // Nothing is sent whose request id is not committed.
          expect(begun.at(-1)).toBe(requestId);
          sent.push(requestId);
          const answer = queue.shift();
          if (!answer) throw new Error('an attempt too many');
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
      billing: {
        key: async () => KEY,
        async close(_account: string, _key: string, requestId: string) {
          lookedUp.push(requestId);
          const state = states.length > 1 ? states.shift()! : states[0]!;
          if (state instanceof Error) throw state;
          return state;
        },
      },
    },
    CALL,
    {
      begin: async (requestId) => void begun.push(requestId),
      ready: async () => true,
      onRateLimited: (ms) => waits.push(ms),
      signal: new AbortController().signal,
      ...more,
    },
  );
  return { end, sent, lookedUp, waits };
}

test('a call that is answered is sent once, and its charge is not looked up', async () => {
  const { end, sent, lookedUp } = await run([REPLY]);
  expect(end).toEqual({ requestId: sent[0], reply: REPLY });
  expect(sent).toHaveLength(1);
  expect(lookedUp).toEqual([]);
});

test('an error that no repetition changes is the result', async () => {
  const error = new GatewayError('model_not_found');
  const { end, sent } = await run([error]);
  expect(end).toEqual({ requestId: sent[0], error, chargedNano: 0n });
  expect(sent).toHaveLength(1);
});

test("an error's message has its detail where the key asks for it", async () => {
  const { end } = await run([new GatewayError('invalid_request', { detail: 'stop: too long' })]);
  expect(end).toMatchObject({ error: { publicMessage: 'Invalid request body. stop: too long' } });
});

test('the first attempt has the given request id, and later ones have others', async () => {
  const { end, sent } = await run([upstreamFailed(), REPLY], [NOTHING], { firstRequestId: 'first' });
  expect(end).toEqual({ requestId: sent[1], reply: REPLY });
  expect([sent[0], sent[1] === 'first', sent.length]).toEqual(['first', false, 2]);
});

describe('a call whose answer is lost', () => {
  test('is not sent again if it was charged, and ends with internal_error and its request id', async () => {
    const { end, sent } = await run([new AnswerLost()], [charged(5n)]);
    expect(end).toMatchObject({ requestId: sent[0], error: { code: 'internal_error' }, chargedNano: 5n });
    expect(sent).toHaveLength(1);
  });

  test('is sent again with a new request id if it was released without a charge', async () => {
    const { end, sent } = await run([new AnswerLost(), REPLY], [charged(0n)]);
    expect(end).toEqual({ requestId: sent[1], reply: REPLY });
    expect(new Set(sent).size).toBe(2);
  });

  test('is looked up until its hold has ended', async () => {
    const open: Charge = { state: 'open' };
    const { end, sent, lookedUp } = await run([new AnswerLost()], [open, open, open, charged(7n)]);
    expect(end).toMatchObject({ requestId: sent[0], error: { code: 'internal_error' } });
    expect(lookedUp).toEqual(Array(4).fill(sent[0]));
  });

  test('is looked up while billing does not answer', async () => {
    const { end } = await run([new AnswerLost()], [new Error('down'), new Error('down'), charged(7n)]);
    expect(end).toMatchObject({ error: { code: 'internal_error' } });
  });

  test('is not sent again if its hold expired, because it may still be charged', async () => {
    const { end, sent } = await run([new AnswerLost()], [{ state: 'expired' }]);
    expect(end).toMatchObject({ requestId: sent[0], error: { code: 'internal_error' }, chargedNano: 0n });
    expect(sent).toHaveLength(1);
  });

  test('ends after four losses without a charge', async () => {
    const { end, sent } = await run(
      Array.from({ length: 4 }, () => new AnswerLost()),
      [charged(0n)],
    );
    expect(end).toMatchObject({ requestId: sent[3], error: { code: 'internal_error' } });
    expect(sent).toHaveLength(4);
  });

  test('of a process that was killed is looked up before anything is sent', async () => {
    const killed = { lostRequestId: 'earlier' };
    const { end, sent, lookedUp } = await run([], [charged(5n)], killed);
    expect(end).toMatchObject({ requestId: 'earlier', error: { code: 'internal_error' } });
    expect(sent).toEqual([]);
    expect(lookedUp).toEqual(['earlier']);
  });
});

describe('a call that failed at its provider', () => {
  test('is sent again if nothing was charged', async () => {
    const { end, sent } = await run([upstreamFailed(), REPLY]);
    expect(end).toEqual({ requestId: sent[1], reply: REPLY });
  });

  test('keeps its error if something was charged', async () => {
    const { end, sent } = await run([upstreamFailed()], [charged(3n)]);
    expect(end).toMatchObject({ requestId: sent[0], error: { code: 'upstream_failed' } });
  });

  test('is sent five times at most', async () => {
    const { end, sent } = await run(Array.from({ length: 5 }, upstreamFailed));
    expect(end).toMatchObject({ requestId: sent[4], error: { code: 'upstream_failed' } });
    expect(sent).toHaveLength(5);
  });
});

test('a call that rate limits refuse waits as long as they say, as often as they refuse it', async () => {
  const refused = () => new GatewayError('rpm_rate_limited', { retryAfterSeconds: 7 });
  const { end, sent, waits } = await run([...Array.from({ length: 20 }, refused), REPLY]);
  expect(end).toEqual({ requestId: sent[20], reply: REPLY });
  expect(waits).toEqual(Array(20).fill(7_000));
});

test('a spending cap, which has the status of rate limits, is the result', async () => {
  const { end, waits } = await run([new GatewayError('key_daily_limit')]);
  expect(end).toMatchObject({ error: { code: 'key_daily_limit' } });
  expect(waits).toEqual([]);
});

test('a call that no instance of chat accepts is tried until one does', async () => {
  const { end, sent } = await run([new CallNotSent(), new CallNotSent(), REPLY]);
  expect(end).toEqual({ requestId: sent[2], reply: REPLY });
});

test('a call that may not be sent now has no result', async () => {
  const { end, sent } = await run([], [NOTHING], { ready: async () => false });
  expect(end).toBeUndefined();
  expect(sent).toEqual([]);
});

test('a call that is another process’s is not sent', async () => {
  const begin = () => Promise.reject(new Error('not ours'));
  await expect(run([REPLY], [NOTHING], { begin })).rejects.toThrow('not ours');
});
