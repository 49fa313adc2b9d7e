import { toEnvelope } from './envelope';
import type { GatewayError } from './gateway-error';

/**
 * How a format tells an error in the middle of a stream: OpenAI's in the data of an unnamed event, Anthropic's
 * in an event of its own name, because its clients skip events without one.
 */
export type StreamErrors = 'data' | 'event';

/** The server-sent event in which a broken stream ends. */
export function toErrorFrame(error: GatewayError, streamErrors: StreamErrors): string {
  const envelope = toEnvelope(error);
  if (streamErrors === 'data') return `data: ${JSON.stringify(envelope)}\n\n`;
  return `event: error\ndata: ${JSON.stringify({ type: 'error', ...envelope })}\n\n`;
}
