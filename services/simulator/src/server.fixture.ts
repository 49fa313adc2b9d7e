import { createHmac } from 'node:crypto';
import { createLogger, type RunningService } from '@gateway/process';
import { startSimulator } from './server';

export interface Meter {
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  images: number;
  output_image_tokens: number;
  tasks: number;
  seconds: number;
  in_flight: number;
  by_model: Record<string, { calls: number }>;
  entries: Record<string, unknown>[];
}

/** A running simulator on a free port, for tests. */
export class Fixture {
  private constructor(
    private readonly service: RunningService,
    readonly port: number,
  ) {}

  /** @param clock stands still until the test moves it; absent: the real time */
  static async start(clock?: { nowMs: number }): Promise<Fixture> {
    const nowMs = clock === undefined ? Date.now : () => clock.nowMs;
    const service = await startSimulator({ HTTP_PORT: '0' }, createLogger('simulator', 'silent'), nowMs);
    return new Fixture(service, service.ports.http ?? 0);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer k', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  chat(content: string, more: object = {}, headers: Record<string, string> = {}): Promise<Response> {
    const body = { model: 'm', messages: [{ role: 'user', content }], ...more };
    return this.post('/openai/v1/chat/completions', body, headers);
  }

  messages(content: unknown, more: object = {}, headers: Record<string, string> = {}): Promise<Response> {
    const body = { model: 'm', max_tokens: 1_000, messages: [{ role: 'user', content }], ...more };
    const auth = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
    return this.post('/anthropic/v1/messages', body, { ...auth, ...headers });
  }

  /** @param method with its query, such as `streamGenerateContent?alt=sse` */
  generate(
    method: string,
    text: string,
    more: object = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const body = { contents: [{ role: 'user', parts: [{ text }] }], ...more };
    return this.post(`/gemini/v1beta/models/m:${method}`, body, { 'x-goog-api-key': 'k', ...headers });
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(path.startsWith('http') ? path : this.url + path, {
      headers: { authorization: 'Bearer k', ...headers },
    });
  }

  async meter(query = ''): Promise<Meter> {
    return (await fetch(`${this.url}/meter${query}`)).json() as Promise<Meter>;
  }

  /** Waits for the meter's entry of a call that has ended or is about to end. */
  async entryOf(requestId: string): Promise<Record<string, unknown>> {
    const deadlineMs = Date.now() + 5_000;
    while (Date.now() < deadlineMs) {
      const [entry] = (await this.meter(`?request_id=${requestId}`)).entries;
      if (entry !== undefined) return entry;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`no entry of ${requestId}`);
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}

/** Returns a token as Kling's callers create it. @param claims replace the default ones */
export function klingToken(nowMs: number, claims: object = {}, secret = 'simulated'): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const nowSeconds = Math.floor(nowMs / 1_000);
  const usual = { iss: 'access', exp: nowSeconds + 1_800, nbf: nowSeconds - 5 };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ ...usual, ...claims })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

export const sim = (directive: object) => `[[sim ${JSON.stringify(directive)}]]`;

/** Returns the parsed data of a stream's server-sent events; `[DONE]` is kept as text. */
export function eventsOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => (frame === 'data: [DONE]' ? '[DONE]' : JSON.parse(frame.slice(6))));
}

export interface NamedEvent {
  readonly event: string;
  readonly data: Record<string, unknown> & { index?: number; delta?: Record<string, unknown> };
}

/** Returns the parsed events of a server-sent stream whose events have names. */
export function namedEventsOf(text: string): NamedEvent[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [event = '', data = ''] = frame.split('\n');
      return { event: event.replace('event: ', ''), data: JSON.parse(data.replace('data: ', '')) };
    });
}
