import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { type CountedRequest, countBound, countPrompt } from '../count-prompt';

const TEXT_PARTS: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'text']);

/** Counts the input tokens of a request without figures. */
export function countInput(body: Buffer): number {
  const { messages, calls, fields } = split(body);
  const { format } = membersOf(fields.text);
  return countPrompt({
    messages: [...messages, ...calls.map(toCounted)],
    tools: listOf(fields.tools),
    response_format: { json_schema: membersOf(format).schema },
  }).tokens;
}

/** Returns the maximum input tokens of a request; see `countBound`. Undefined also for images and files. */
export function boundInput(body: Buffer, budgetMs: number): number | undefined {
  const { messages, calls, fields, hasMedia } = split(body);
  return hasMedia ? undefined : countBound({ ...fields, ...{ calls }, messages }, budgetMs);
}

interface SplitRequest {
  /** The texts. */
  readonly messages: CountedRequest['messages'];
  /** Items with anything else. */
  readonly calls: readonly JsonObject[];
  /** The other fields of the body. */
  readonly fields: JsonObject;
  readonly hasMedia: boolean;
}

function split(body: Buffer): SplitRequest {
  const { input, instructions, ...fields } = JSON.parse(body.toString('utf8')) as JsonObject;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input).map(membersOf);
  const messages: { role: string; content: string }[] = [];
  const calls: JsonObject[] = [];
  let hasMedia = false;
  const first = typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : [];
  for (const item of [...first, ...items] as JsonObject[]) {
    const texts = typeof item.content === 'string' ? [item.content] : textsOf(item.content);
    if (typeof item.role !== 'string' || !texts) {
      calls.push(item);
      hasMedia ||= typeof item.role === 'string' || Array.isArray(item.output);
    } else messages.push({ role: item.role, content: texts.join('') });
  }
  return { messages, calls, fields, hasMedia };
}

/** An item with a call, an output or parts other than texts. */
function toCounted({ role, content, output, ...called }: JsonObject): CountedRequest['messages'][number] {
  const parts = [content, output].flatMap((one) => (typeof one === 'string' ? [{ text: one }] : listOf(one)));
  return {
    role: textOf(role) || 'assistant',
    content: parts.map(membersOf).map(({ text }) => ({ type: text === undefined ? 'media' : 'text', text })),
    tool_calls: [{ function: called }],
  };
}

/** Undefined if some part is not a text. */
function textsOf(content: unknown): string[] | undefined {
  const parts = listOf(content).map(membersOf);
  return parts.every(({ type }) => TEXT_PARTS.has(type)) ? parts.map(({ text }) => textOf(text)) : undefined;
}
