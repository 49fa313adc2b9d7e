import type { HttpAnswer } from '../support/http';
import { assertMessageStream } from './message-stream';

export const EVENT_END = /\r?\n\r?\n/;
const ERROR = /^(?:data: (\{"error":\{.*\}\})|event: error\ndata: (\{"type":"error","error":\{.*\}\}))$/;
const FINISH_REASONS = new Set(['stop', 'length', 'tool_calls', 'content_filter']);
const STOP_REASONS = new Set([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
]);

/** Returns whether the event reports a stream failure in the format's framing. */
export function isError(event: string): boolean {
  const [, data, typed] = ERROR.exec(event) ?? [];
  const json = data ?? typed;
  return json !== undefined && JSON.parse(json).error.code === 'upstream_failed';
}

/**
 * Checks a translated response, which must be valid in the client's format whatever the provider sent.
 * @throws the violation
 */
export function expectTranslated({ status, headers, json, text }: HttpAnswer, path: string): void {
  if (status !== 200) return;
  const streamed = `${headers['content-type']}`.startsWith('text/event-stream');
  const messages = path === '/v1/messages';
  if (!streamed) {
    if (messages) assertMessage(json);
    else assertCompletion(json);
    return;
  }
  const events = text.trimEnd().split(EVENT_END);
  if (isError(`${events.at(-1)}`)) events.pop();
  if (messages) assertMessageStream(events);
  else assertChunks(events);
}

// biome-ignore lint/suspicious/noExplicitAny: it is what is checked.
function assertMessage(message: any): void {
  const { input_tokens, output_tokens } = message.usage;
  check(message.type === 'message' && message.role === 'assistant', message);
  check(STOP_REASONS.has(message.stop_reason), message);
  check(Number.isInteger(input_tokens) && Number.isInteger(output_tokens), message);
  for (const block of message.content) {
    if (block.type === 'text') check(typeof block.text === 'string', block);
    else if (block.type === 'thinking')
      check(typeof block.thinking === 'string' && typeof block.signature === 'string', block);
    else if (block.type === 'tool_use')
      check(/^[\w-]+$/.test(block.id) && block.name !== '' && isObject(block.input), block);
    else check(block.type === 'redacted_thinking' && typeof block.data === 'string', block);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: it is what is checked.
function assertCompletion(completion: any): void {
  const [choice] = completion.choices;
  const { role, content, tool_calls = [] } = choice.message;
  check(completion.object === 'chat.completion' && FINISH_REASONS.has(choice.finish_reason), completion);
  check(role === 'assistant' && (content === null || typeof content === 'string'), completion);
  check(Number.isInteger(completion.usage.total_tokens), completion);
  for (const call of tool_calls) {
    check(call.type === 'function' && isObject(JSON.parse(call.function.arguments)), call);
  }
}

function assertChunks(events: readonly string[]): void {
  for (const event of events) {
    if (event === 'data: [DONE]' || event.startsWith(':') || event === '') continue;
    const chunk = JSON.parse(event.slice('data: '.length));
    check(chunk.object === 'chat.completion.chunk' && Array.isArray(chunk.choices), chunk);
    for (const { delta, finish_reason } of chunk.choices) {
      check(isObject(delta) && (finish_reason === null || FINISH_REASONS.has(finish_reason)), chunk);
    }
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function check(right: boolean, what: unknown): void {
  if (!right) throw new Error(`invalid in the client's format: ${JSON.stringify(what)}`);
}
