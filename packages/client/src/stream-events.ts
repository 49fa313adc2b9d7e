import { Call, type CallRequest } from './call.ts';
import { errorOfEnvelope, GatewayError, isGatewayError } from './gateway-error.ts';
import type { StreamOptions } from './options.ts';
import { readEventData } from './server-sent-events.ts';
import { type Connection, open, readTexts, requestIdOf, unexpected } from './transport.ts';
import { startWatch, type Watch } from './watch.ts';

const DEFAULT_IDLE_MS = 2 * 60_000;
/** Time for the response to end after the last event, so that its connection can be used again. */
const END_MS = 1_000;
/** The data of the last event of a chat completion. */
const DONE = '[DONE]';

/**
 * Yields the events of a stream. A stream that breaks is sent again as a whole, since none can be resumed: always if it has yielded
 * nothing, else only with `onRestart`.
 */
export async function* streamEvents<Event extends object>(
  connection: Connection,
  request: CallRequest,
  isLast: (event: Event) => boolean,
  options: StreamOptions = {},
): AsyncGenerator<Event, void, undefined> {
  const { idleMs = DEFAULT_IDLE_MS, onRestart } = options;
  const call = new Call(connection.clock, request, { ...connection.defaults, ...options });
  for (;;) {
    let hasYielded = false;
    try {
      for await (const event of attemptStream(connection, call, isLast, idleMs)) {
        hasYielded = true;
        yield event;
      }
      return;
    } catch (thrown) {
      await call.beforeRetry(thrown, !hasYielded || onRestart !== undefined);
      if (hasYielded) onRestart?.(thrown as GatewayError);
    }
  }
}

async function* attemptStream<Event extends object>(
  connection: Connection,
  call: Call,
  isLast: (event: Event) => boolean,
  idleMs: number,
): AsyncGenerator<Event, void, undefined> {
  const watch = startWatch(call.options.signal, call.remainingMs);
  try {
    watch.expectWithin(idleMs);
    const response = await open(connection, call, watch);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) unexpected(response);
    yield* readStream(response, watch, isLast, idleMs);
  } finally {
    watch.end();
  }
}

async function* readStream<Event extends object>(
  response: Response,
  watch: Watch,
  isLast: (event: Event) => boolean,
  idleMs: number,
): AsyncGenerator<Event, void, undefined> {
  const requestId = requestIdOf(response);
  let isComplete = false;
  try {
    const texts = readTexts(response, watch, () => (isComplete ? END_MS : idleMs));
    for await (const data of readEventData(texts)) {
      if (isComplete) continue;
      const event = data === DONE ? undefined : parseEvent<Event>(data, requestId);
      isComplete = !event || isLast(event);
      if (event) yield event;
    }
  } catch (thrown) {
    if (isComplete) return;
    throw isGatewayError(thrown, 'connection_failed') ? brokenStream(requestId, thrown) : thrown;
  }
  if (!isComplete) throw brokenStream(requestId);
}

function parseEvent<Event extends object>(data: string, requestId: string | undefined): Event {
  let event: Event;
  try {
    event = JSON.parse(data);
  } catch (cause) {
    throw brokenStream(requestId, cause);
  }
  const error = errorOfEnvelope(event, { requestId });
  if (error) throw error;
  return event;
}

/** The gateway's own error for a stream that breaks before its last event. */
const brokenStream = (requestId: string | undefined, cause?: unknown) =>
  new GatewayError('upstream_failed', 'Upstream request failed.', {
    detail: 'The stream ended before its last event.',
    type: 'upstream_error',
    requestId,
    cause,
  });
