import { sendRequest } from './http';
import type { Customer, System } from './system';

/** How one call of the traffic went. */
export interface TrafficCall {
  /** Absent when the connection broke before the answer's head. */
  readonly requestId?: string;
  /** The answer came whole, and for a stream with its end marker. */
  readonly answered: boolean;
  readonly status: number;
  readonly code?: string;
}

const BODIES = [
  { content: 'plain [[sim {"delay_ms":20}]]', stream: false },
  { content: 'slow [[sim {"delay_ms":400}]]', stream: false },
  { content: 'stream [[sim {"chunks":30,"chunk_delay_ms":10}]]', stream: true },
];

/** Keeps `width` calls of different kinds under way until it is stopped. */
export function startTraffic(
  system: System,
  customer: Customer,
  width: number,
): { stop(): Promise<TrafficCall[]> } {
  const calls: TrafficCall[] = [];
  let stopped = false;
  const lanes = Array.from({ length: width }, async (_value, lane) => {
    for (let turn = lane; !stopped; turn++) calls.push(await callOnce(system, customer, turn));
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(lanes);
      return calls;
    },
  };
}

async function callOnce(system: System, customer: Customer, turn: number): Promise<TrafficCall> {
  const { content, stream } = BODIES[turn % BODIES.length]!;
  const body = Buffer.from(
    JSON.stringify({ model: 'sim/chat', messages: [{ role: 'user', content }], stream, max_tokens: 200 }),
  );
  try {
    const answer = await sendRequest(
      `${system.stack.apiUrl}/v1/chat/completions`,
      'POST',
      {
        authorization: `Bearer ${customer.apiKey}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
      body,
    );
    const whole = stream
      ? answer.text.endsWith('data: [DONE]\n\n')
      : answer.json?.object === 'chat.completion';
    return {
      requestId: String(answer.headers['x-request-id']),
      status: answer.status,
      answered: answer.status === 200 && whole,
      ...(answer.json?.error && { code: answer.json.error.code }),
    };
  } catch {
    return { status: 0, answered: false };
  }
}
