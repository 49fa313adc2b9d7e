import http from 'node:http';
import { sendRequest } from './http';
import type { Customer, System } from './system';

/** Result of one call of the traffic. */
export interface TrafficCall {
  /** Absent if the connection failed before the response headers. */
  readonly requestId?: string;
  /** When it was sent, by `performance.now()`. */
  readonly sentMs: number;
  /** The response was complete; a stream had its end marker. */
  readonly answered: boolean;
  readonly status: number;
  readonly code?: string;
  /** The error if there is no response. */
  readonly failure?: unknown;
}

interface Answer {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
}

type Send = (url: string, headers: Record<string, string>, body: Buffer) => Promise<Answer>;

const BODIES = [
  { content: 'plain [[sim {"delay_ms":20}]]', stream: false },
  { content: 'slow [[sim {"delay_ms":400}]]', stream: false },
  { content: 'stream [[sim {"chunks":30,"chunk_delay_ms":10}]]', stream: true },
];

/** Short calls, so that connections are reused often. */
const SHORT_BODIES = [
  { content: 'plain', stream: false },
  { content: 'slower [[sim {"delay_ms":100}]]', stream: false },
  { content: 'stream [[sim {"chunks":10,"chunk_delay_ms":10}]]', stream: true },
];

/** Keeps `width` calls of different kinds in flight until it is stopped; every call has its own connection. */
export function startTraffic(
  system: System,
  customer: Customer,
  width: number,
): { stop(): Promise<TrafficCall[]> } {
  return startLanes(width, (turn) =>
    callOnce([system.stack.apiUrl], customer, BODIES[turn % BODIES.length]!, sendOnce),
  );
}

/**
 * Keeps traffic over all edges in turn, like a simple load balancer: connections are kept alive, and a call is sent to
 * the next edge only if its connection was refused. Half of the lanes use undici, the others Node's own agent.
 */
export function startBalancedTraffic(
  system: System,
  customer: Customer,
  width: number,
): { stop(): Promise<TrafficCall[]> } {
  const agent = new http.Agent({ keepAlive: true });
  const sendByAgent: Send = (url, headers, body) => sendOnce(url, headers, body, agent);
  const lanes = startLanes(width, (turn, lane) => {
    const { apiUrls } = system.stack;
    const first = turn % apiUrls.length;
    const origins = [...apiUrls.slice(first), ...apiUrls.slice(0, first)];
    const body = SHORT_BODIES[turn % SHORT_BODIES.length]!;
    return callOnce(origins, customer, body, lane % 2 === 0 ? sendByAgent : sendByFetch);
  });
  return {
    async stop() {
      const calls = await lanes.stop();
      agent.destroy();
      return calls;
    },
  };
}

function startLanes(width: number, call: (turn: number, lane: number) => Promise<TrafficCall>) {
  const calls: TrafficCall[] = [];
  let stopped = false;
  const lanes = Array.from({ length: width }, async (_value, lane) => {
    for (let turn = lane; !stopped; turn++) calls.push(await call(turn, lane));
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(lanes);
      return calls;
    },
  };
}

async function callOnce(
  origins: readonly string[],
  customer: Customer,
  { content, stream }: (typeof BODIES)[number],
  send: Send,
): Promise<TrafficCall> {
  const body = Buffer.from(
    JSON.stringify({ model: 'sim/chat', messages: [{ role: 'user', content }], stream, max_tokens: 200 }),
  );
  const headers = {
    authorization: `Bearer ${customer.apiKey}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  const sentMs = performance.now();
  let failure: unknown;
  for (const origin of origins) {
    try {
      const { status, requestId, text } = await send(`${origin}/v1/chat/completions`, headers, body);
      const isWhole = stream
        ? text.endsWith('data: [DONE]\n\n')
        : text.includes('"object":"chat.completion"') && text.endsWith('}');
      return {
        requestId,
        sentMs,
        status,
        answered: status === 200 && isWhole,
        ...(status !== 200 && { code: JSON.parse(text).error.code }),
      };
    } catch (error) {
      failure = error;
      if (!isRefused(error)) break;
    }
  }
  return { sentMs, status: 0, answered: false, failure };
}

const sendOnce = async (url: string, headers: Record<string, string>, body: Buffer, agent?: http.Agent) => {
  const answer = await sendRequest(url, 'POST', headers, body, agent);
  return { ...answer, requestId: String(answer.headers['x-request-id']) };
};

const sendByFetch: Send = async (url, headers, body) => {
  const answer = await fetch(url, { method: 'POST', headers, body: body.toString() });
  const requestId = `${answer.headers.get('x-request-id')}`;
  return { status: answer.status, requestId, text: await answer.text() };
};

function isRefused(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return code === 'ECONNREFUSED' || cause?.code === 'ECONNREFUSED';
}
