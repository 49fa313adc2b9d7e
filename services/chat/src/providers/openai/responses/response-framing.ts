import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { ReplyFraming } from '../../../domain/reply-framing';
import { namedFrame } from '../../../sse/named-frame';

/** Types of the last event. */
const LAST = /^response\.(?:completed|incomplete|failed)$/;

export const responseFraming: ReplyFraming = {
  toStream(response) {
    const { status, output } = response;
    const begun = { ...response, status: 'in_progress', output: [], usage: undefined };
    const events = [
      { type: 'response.created', response: begun },
      ...listOf(output).flatMap((item, index) => itemEvents(membersOf(item), index)),
      { type: `response.${textOf(status) || 'completed'}`, response },
    ];
    const frames = events.map((event, sequence_number) =>
      namedFrame(event.type, JSON.stringify({ ...event, sequence_number })),
    );
    return Buffer.from(frames.join(''));
  },
  toWhole(events) {
    const last = events.findLast(({ type }) => LAST.test(textOf(type)));
    if (!last) return undefined;
    const response = membersOf(last.response);
    if (listOf(response.output).length > 0) return response;
    const output = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
    return { ...response, output };
  },
};

interface ResponseEvent extends JsonObject {
  readonly type: string;
}

function itemEvents(item: JsonObject, output_index: number): ResponseEvent[] {
  const place = { item_id: item.id, output_index };
  return [
    { type: 'response.output_item.added', output_index, item: begunItem(item) },
    ...contentEvents(item, place),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function begunItem(item: JsonObject): JsonObject {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] };
  if (item.type === 'function_call') return { ...item, status: 'in_progress', arguments: '' };
  return item.type === 'reasoning' ? { ...item, summary: [] } : item;
}

function contentEvents(item: JsonObject, place: object): ResponseEvent[] {
  if (item.type === 'function_call') {
    return textEvents('response.function_call_arguments', place, 'arguments', item.arguments);
  }
  if (item.type === 'reasoning') {
    return listOf(item.summary).flatMap((value, summary_index) => {
      const part = membersOf(value);
      const at = { ...place, summary_index };
      return [
        { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
        ...textEvents('response.reasoning_summary_text', at, 'text', part.text),
        { type: 'response.reasoning_summary_part.done', ...at, part },
      ];
    });
  }
  if (item.type !== 'message') return [];
  return listOf(item.content).flatMap((value, content_index) => {
    const part = membersOf(value);
    const at = { ...place, content_index };
    const [kind, member] = part.type === 'refusal' ? ['refusal', 'refusal'] : ['output_text', 'text'];
    return [
      { type: 'response.content_part.added', ...at, part: { ...part, [member!]: '', annotations: [] } },
      ...textEvents(`response.${kind}`, at, member!, part[member!]),
      ...listOf(part.annotations).map((annotation, annotation_index) => ({
        ...{ type: 'response.output_text.annotation.added', ...at, annotation_index, annotation },
      })),
      { type: 'response.content_part.done', ...at, part },
    ];
  });
}

const textEvents = (type: string, place: object, member: string, text: unknown): ResponseEvent[] => [
  { type: `${type}.delta`, ...place, delta: textOf(text) },
  { type: `${type}.done`, ...place, [member]: textOf(text) },
];
