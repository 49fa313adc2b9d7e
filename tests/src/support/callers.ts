import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgeBalancer } from './edge-balancer';
import { writeForm } from './form';
import { type HttpAnswer, sendRequest } from './http';
import { png } from './pictures';
import type { Customer } from './system';

/** Result of one call of the callers. */
export interface MadeCall {
  readonly kind: string;
  readonly customer: Customer;
  /** Absent if there was no response. */
  readonly requestId?: string;
  /** By `performance.now()`. */
  readonly sentMs: number;
  readonly endMs: number;
  readonly status: number;
  /** The reply was complete; a stream had its end marker. */
  readonly isAnswered: boolean;
  /** What an answered call costs. */
  readonly costNano: bigint;
  /** Why it failed. */
  readonly failure?: string;
}

export interface Callers {
  readonly calls: readonly MadeCall[];
  /** Resolves when the calls in flight have ended. */
  stop(): Promise<void>;
}

const PLAIN = 32;
const STREAMS = 16;
const EDITS = 8;
const VIDEOS = 8;
export const CALLERS = PLAIN + STREAMS + EDITS + VIDEOS;

const USAGE = { prompt_tokens: 100, completion_tokens: 50 };
/** At the prices of `sim/chat`. */
const TOKENS_NANO = 100n * 1_000n + 50n * 4_000n;
/** Of one image of low quality. */
const EDIT_NANO = 10_000_000n;
/** Of five seconds. */
const VIDEO_NANO = 250_000_000n;
/** More than a stream has chunks. */
const MAX_TOKENS = 300;
const CHUNK_DELAY_MS = 500;
const PLAIN_PAUSE_MS = 250;
const MEDIA_PAUSE_MS = 150;
const POLL_INTERVAL_MS = 500;
/** Longer than the gateway's own limits for these calls. */
const NO_ANSWER_MS = 90_000;

const sim = (directive: object) => `hello [[sim ${JSON.stringify({ usage: USAGE, ...directive })}]]`;
const message = (directive: object) => [{ role: 'user', content: sim(directive) }];

interface Ask {
  readonly kind: string;
  readonly path: string;
  readonly body: object | { readonly contentType: string; readonly body: Buffer };
  readonly costNano: bigint;
  readonly timeoutMs?: number;
  isComplete(answer: HttpAnswer): boolean;
}

const PLAIN_ASKS: readonly Ask[] = [
  {
    kind: 'chat completion',
    path: '/v1/chat/completions',
    body: { model: 'sim/chat', messages: message({ delay_ms: 100 }), max_tokens: MAX_TOKENS },
    costNano: TOKENS_NANO,
    isComplete: ({ json }) => json?.object === 'chat.completion',
  },
  {
    kind: 'message',
    path: '/v1/messages',
    body: { model: 'sim/chat', messages: message({ delay_ms: 50 }), max_tokens: MAX_TOKENS },
    costNano: TOKENS_NANO,
    isComplete: ({ json }) => json?.type === 'message',
  },
  {
    kind: 'stored response',
    path: '/v1/responses',
    body: { model: 'sim/chat', input: sim({ delay_ms: 50 }), max_output_tokens: MAX_TOKENS },
    costNano: TOKENS_NANO,
    isComplete: ({ json }) => json?.status === 'completed',
  },
];

const streamAsk = (seconds: number): Ask => ({
  kind: `stream of ${seconds} s`,
  path: '/v1/chat/completions',
  body: {
    model: 'sim/chat',
    messages: message({ chunks: (seconds * 1_000) / CHUNK_DELAY_MS, chunk_delay_ms: CHUNK_DELAY_MS }),
    max_tokens: MAX_TOKENS,
    stream: true,
  },
  costNano: TOKENS_NANO,
  timeoutMs: seconds * 1_000 + NO_ANSWER_MS,
  isComplete: ({ text }) => text.endsWith('data: [DONE]\n\n') && !text.includes('"error"'),
});

const EDIT_ASK: Ask = {
  kind: 'image edit',
  path: '/v1/images/edits',
  body: writeForm([
    ['model', 'sim/image'],
    ['prompt', 'A hat. [[sim {"delay_ms":200}]]'],
    ['quality', 'low'],
    ['image', png('a')],
  ]),
  costNano: EDIT_NANO,
  isComplete: ({ json }) => json?.data?.length === 1,
};

const VIDEO_ASK: Ask = {
  kind: 'video',
  path: '/v1/videos/sim/create',
  body: { model: 'sim/video', prompt: 'A cat [[sim {"task_seconds":3}]]' },
  costNano: VIDEO_NANO,
  isComplete: ({ json }) => Boolean(json?.task_id),
};

const pollAsk = (task_id: string): Ask => ({
  kind: 'video poll',
  path: '/v1/videos/sim/status',
  body: { task_id },
  costNano: 0n,
  isComplete: ({ json }) => ['queued', 'running', 'completed'].includes(json?.status),
});

/**
 * Keeps a call of each caller in flight: chat completions, messages and stored responses, streams, image edits, and videos that
 * are polled until they are completed. No call is repeated.
 * @param streamSeconds durations of the streams
 */
export function startCallers(
  balancer: EdgeBalancer,
  customers: readonly Customer[],
  streamSeconds: readonly number[],
): Callers {
  const calls: MadeCall[] = [];
  let isStopped = false;
  const make = async (customer: Customer, ask: Ask) => {
    const answer = await callOnce(balancer, customer, ask, calls);
    // Callers back off when they are refused.
    if (answer === undefined) await sleep(PLAIN_PAUSE_MS);
    return answer;
  };
  const plain = async (customer: Customer, turn: number) => {
    await make(customer, PLAIN_ASKS[turn % PLAIN_ASKS.length]!);
    await sleep(PLAIN_PAUSE_MS);
  };
  const streams = async (customer: Customer, turn: number) => {
    await make(customer, streamAsk(streamSeconds[turn % streamSeconds.length]!));
  };
  const edits = async (customer: Customer) => {
    await make(customer, EDIT_ASK);
    await sleep(MEDIA_PAUSE_MS);
  };
  const videos = async (customer: Customer) => {
    const created = await make(customer, VIDEO_ASK);
    if (!created) return;
    const poll = pollAsk(created.json.task_id);
    do await sleep(POLL_INTERVAL_MS);
    while ((await make(customer, poll))?.json.status !== 'completed' && !isStopped);
  };
  const works = [
    ...Array.from({ length: PLAIN }, () => plain),
    ...Array.from({ length: STREAMS }, () => streams),
    ...Array.from({ length: EDITS }, () => edits),
    ...Array.from({ length: VIDEOS }, () => videos),
  ];
  const lanes = works.map(async (work, lane) => {
    const customer = customers[lane % customers.length]!;
    for (let turn = lane; !isStopped; turn++) await work(customer, turn);
  });
  return {
    calls,
    async stop() {
      isStopped = true;
      await Promise.all(lanes);
    },
  };
}

/** Returns the answer, or undefined if the call failed. */
async function callOnce(
  balancer: EdgeBalancer,
  customer: Customer,
  { kind, path, body, costNano, timeoutMs = NO_ANSWER_MS, isComplete }: Ask,
  calls: MadeCall[],
): Promise<HttpAnswer | undefined> {
  const isForm = 'contentType' in body;
  const bytes = isForm ? body.body : Buffer.from(JSON.stringify(body));
  const headers = {
    authorization: `Bearer ${customer.apiKey}`,
    'content-type': isForm ? body.contentType : 'application/json',
    'content-length': String(bytes.length),
  };
  const sentMs = performance.now();
  const made = (rest: Pick<MadeCall, 'status' | 'isAnswered' | 'requestId' | 'failure'>) =>
    calls.push({ kind, customer, sentMs, endMs: performance.now(), costNano, ...rest });
  try {
    const { apiUrl, agent } = balancer.next();
    const answer = await withTimeout(sendRequest(apiUrl + path, 'POST', headers, bytes, agent), timeoutMs);
    const isAnswered = answer.status === 200 && isComplete(answer);
    const requestId = String(answer.headers['x-request-id']);
    const failure = isAnswered ? {} : { failure: answer.text.slice(-500) };
    made({ status: answer.status, isAnswered, requestId, ...failure });
    return isAnswered ? answer : undefined;
  } catch (error) {
    made({ status: 0, isAnswered: false, failure: String(error) });
    return undefined;
  }
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const timer = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no complete answer within ${timeoutMs} ms`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
