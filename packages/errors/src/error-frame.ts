import { toEnvelope } from './envelope';
import type { GatewayError } from './gateway-error';

/**
 * How a format reports an error within a stream: OpenAI's as the data of an unnamed event, Anthropic's as an event named
 * `error`, because its clients skip unnamed events.
 */
export type StreamErrors = 'data' | 'event';

/** Returns the server-sent event that ends a broken stream. */
export function toErrorFrame(error: GatewayError, streamErrors: StreamErrors): string {
  const envelope = toEnvelope(error);
  if (streamErrors === 'data') return `data: ${JSON.stringify(envelope)}\n\n`;
  return `event: error\ndata: ${JSON.stringify({ type: 'error', ...envelope })}\n\n`;
}
