import type { Clock } from './clock.ts';
import { GatewayClient } from './gateway-client.ts';
import type { ClientOptions } from './options.ts';

/** What the fake gateway answers: a response, a function of the request, or an error that `fetch` throws. */
export type Answer = Response | Error | ((init: RequestInit) => Response | Promise<Response>);

export interface Sent {
  readonly url: string;
  readonly body: unknown;
  readonly headers: Headers;
}

export const START_MS = Date.UTC(2026, 0, 31, 23, 50);

/** A clock whose waits pass at once; `random` is in the middle, so that backoffs are 1, 2, 4 s. */
export function virtualClock() {
  let nowMs = START_MS;
  const waits: number[] = [];
  const clock: Clock = {
    now: () => nowMs,
    random: () => 0.5,
    async sleep(ms, signal) {
      waits.push(ms);
      await Promise.resolve();
      signal?.throwIfAborted();
      nowMs += ms;
    },
  };
  return { clock, waits };
}

/** A client of a fake gateway that gives these answers, the last one repeatedly. */
export function fakeGateway(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const { clock, waits } = virtualClock();
  const fakeFetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { body } = init;
    const shown = typeof body === 'string' ? JSON.parse(body) : body;
    const answer = answers[Math.min(sent.length, answers.length - 1)];
    sent.push({ url, body: shown, headers: init.headers as Headers });
    init.signal?.throwIfAborted();
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer(init) : answer!.clone();
  };
  const client = new GatewayClient({
    baseUrl: 'http://gateway.test/v1/',
    apiKey: 'sk-gw-secret',
    fetch: fakeFetch as typeof fetch,
    clock,
    ...options,
  });
  return { client, sent, waits };
}

export const ok = (body: object, headers: Record<string, string> = {}) =>
  Response.json(body, { headers: { 'x-request-id': 'req-ok', ...headers } });

export function failed(code: string, status = 502, headers: Record<string, string> = {}, more: object = {}) {
  const body = { error: { type: 'some_error', code, message: `Message of ${code}.`, ...more } };
  return Response.json(body, { status, headers: { 'x-request-id': 'req-failed', ...headers } });
}

/** A stream of these pieces, which then ends, or breaks off. */
export function streamed(pieces: readonly string[], breaksOff = false): Response {
  const encoder = new TextEncoder();
  let next = 0;
  const body = new ReadableStream({
    pull(controller) {
      const piece = pieces[next++];
      if (piece !== undefined) controller.enqueue(encoder.encode(piece));
      else if (breaksOff) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'x-request-id': 'req-stream' },
  });
}
