import { isObject, listOf, membersOf } from '@gateway/upstream';
import { parseData } from '../../sse/sse-data';

/** Members of the results. A quote inside a JSON string is escaped, so these bytes are never a model's text. */
const MARKS = ['"prompt_filter_results"', '"content_filter_offsets"'].map((text) => Buffer.from(text));

/**
 * Returns an event of a stream of Azure's so that every choice has a `delta`, which clients of OpenAI's format read; undefined
 * for one with nothing but the results of the content filter: of the prompt, in the first chunk, or of text that has already been
 * sent (asynchronous filter), even after the finish reason. Other events are not parsed.
 */
export function withoutFilterResults(event: Buffer): Buffer | undefined {
  if (!MARKS.some((mark) => event.includes(mark))) return event;
  const chunk = parseData(event);
  if (!chunk || chunk.error || chunk.usage) return event;
  const choices = listOf(chunk.choices).map(membersOf);
  if (choices.every(({ delta, finish_reason: reason }) => !isObject(delta) && !reason)) return undefined;
  if (choices.every(({ delta }) => isObject(delta))) return event;
  const completed = { ...chunk, choices: choices.map((choice) => ({ delta: {}, ...choice })) };
  return Buffer.from(`data: ${JSON.stringify(completed)}\n\n`);
}
