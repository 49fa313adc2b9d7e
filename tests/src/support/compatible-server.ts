import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the server does with calls of one API key. */
export type KeyBehavior = 'answer' | 'reject' | 'limit' | 'answer slowly';

/** A small server with OpenAI's API, independent of the simulator. Unknown keys are rejected. */
export interface CompatibleServer {
  /** Includes `/v1`. */
  readonly baseUrl: string;
  readonly keys: Map<string, KeyBehavior>;
  /** Number of chat calls by API key, rejected ones included. */
  readonly calls: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export const SERVED_MODELS = ['org/Small:1b', 'org/Large'];
export const SERVED_USAGE = { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 };
export const SERVED_WORDS = ['It', ' works', ' here', '.'];
/** Headers of its chat replies. */
const SERVED_LIMITS = {
  'x-ratelimit-limit-requests': '60',
  'x-ratelimit-remaining-requests': '59',
  'x-ratelimit-reset-requests': '3m0s',
  'x-ratelimit-limit-tokens': '150000',
  'x-ratelimit-remaining-tokens': '149984',
};
const WORD_DELAY_MS = 15;
const SLOW_MS = 300;

export async function startCompatibleServer(): Promise<CompatibleServer> {
  const keys = new Map<string, KeyBehavior>();
  const calls = new Map<string, number>();
  const server = http.createServer((request, response) => {
    const key = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    const isChat = request.url === '/v1/chat/completions';
    if (isChat) calls.set(key, (calls.get(key) ?? 0) + 1);
    const behavior = keys.get(key) ?? 'reject';
    let text = '';
    request.on('data', (piece) => {
      text += piece;
    });
    request.on('end', () => void answer({ isChat, behavior, text, response }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    keys,
    calls,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Call {
  readonly isChat: boolean;
  readonly behavior: KeyBehavior;
  readonly text: string;
  readonly response: http.ServerResponse;
}

async function answer({ isChat, behavior, text, response }: Call): Promise<void> {
  const error = (message: string) => ({ error: { message, type: 'error', param: null, code: null } });
  if (behavior === 'reject') return sendJson(response, 401, error('Incorrect API key provided'));
  if (behavior === 'limit')
    return sendJson(response, 429, error('Rate limit reached'), { 'retry-after': '30' });
  if (!isChat) {
    return sendJson(response, 200, {
      object: 'list',
      data: SERVED_MODELS.map((id) => ({ id, object: 'model' })),
    });
  }
  if (behavior === 'answer slowly') await sleep(SLOW_MS);
  const { model, stream, stream_options } = JSON.parse(text);
  const reply = { id: 'cmpl-1', created: 1_795_000_000, model };
  if (!stream) {
    const message = { role: 'assistant', content: SERVED_WORDS.join('') };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const body = { ...reply, object: 'chat.completion', choices, usage: SERVED_USAGE };
    return sendJson(response, 200, body, SERVED_LIMITS);
  }
  const chunk = (fields: object) =>
    response.write(`data: ${JSON.stringify({ ...reply, object: 'chat.completion.chunk', ...fields })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream', ...SERVED_LIMITS });
  for (const content of SERVED_WORDS) {
    chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    await sleep(WORD_DELAY_MS);
  }
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  if (stream_options?.include_usage) chunk({ choices: [], usage: SERVED_USAGE });
  response.end('data: [DONE]\n\n');
}

function sendJson(response: http.ServerResponse, status: number, body: object, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
