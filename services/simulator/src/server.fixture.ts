import { createLogger, type RunningService } from '@gateway/runtime';
import { startSimulator } from './server';

export interface Meter {
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
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

  static async start(): Promise<Fixture> {
    const service = await startSimulator({ HTTP_PORT: '0' }, createLogger('simulator', 'silent'));
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

  async meter(query = ''): Promise<Meter> {
    return (await fetch(`${this.url}/meter${query}`)).json() as Promise<Meter>;
  }

  /** The entry of a call that has ended or is about to. */
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

export const sim = (directive: object) => `[[sim ${JSON.stringify(directive)}]]`;

/** The data of a server-sent stream's events, parsed; `[DONE]` stays as it is. */
export function eventsOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => (frame === 'data: [DONE]' ? '[DONE]' : JSON.parse(frame.slice(6))));
}
