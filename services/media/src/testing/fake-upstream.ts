import { UpstreamError } from '@gateway/upstream';
import type { Upstream, UpstreamReply, UpstreamRequest } from '../domain/upstream';
import { readBody } from '../domain/upstream-body';

/** A provider's response to a request: a reply with JSON or bytes, or a failure. */
export type FakeReply =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly json: unknown }
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly bytes: Buffer }
  | Error;

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A provider that returns recorded replies in sequence and records its requests. */
export class FakeUpstream implements Upstream {
  readonly sent: SentRequest[] = [];
  readonly #replies: FakeReply[];

  constructor(...replies: FakeReply[]) {
    this.#replies = replies;
  }

  async request({ method, url, headers, body }: UpstreamRequest): Promise<UpstreamReply> {
    const pieces: Buffer[] = [];
    if (body) for await (const piece of readBody(body)) pieces.push(piece);
    this.sent.push({ method, url: url.href, headers, body: Buffer.concat(pieces).toString() });
    const reply = this.#replies.length > 1 ? this.#replies.shift() : this.#replies[0];
    if (!reply || reply instanceof Error) throw reply ?? new Error('nothing recorded');
    const bytes = 'bytes' in reply ? reply.bytes : Buffer.from(JSON.stringify(reply.json) ?? '');
    return {
      status: reply.status ?? 200,
      headers: reply.headers ?? {},
      body: (async function* () {
        yield bytes;
      })(),
      async json() {
        try {
          return JSON.parse(bytes.toString());
        } catch {
          throw new UpstreamError({ kind: 'broken', cause: new Error('no JSON') });
        }
      },
    };
  }
}
