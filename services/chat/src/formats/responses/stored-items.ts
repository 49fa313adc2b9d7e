import { textOf } from '@gateway/upstream';
import type { z } from 'zod';
import { responseId } from '../../domain/response-members';
import type { InputItem, InputPart, ItemType, itemSchemas, PassedItem } from './responses-schema';

const ID_PREFIXES: Readonly<Record<ItemType | PassedItem['type'], string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  apply_patch_call: 'apc',
  apply_patch_call_output: 'apco',
  compaction: 'cmp',
  local_shell_call: 'lsh',
  local_shell_call_output: 'lsho',
  shell_call: 'sh',
  shell_call_output: 'sho',
};

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const RESPONSE_ID = new RegExp(`^resp_${UUID}$`);
/** An item of a response's output, or of its input. */
const ITEM_ID = new RegExp(`^[a-z]+_(${UUID})_(in_)?\\d+$`);

/** Returns whether the gateway may have given the id to a response. */
export const isResponseId = (id: string): boolean => RESPONSE_ID.test(id);

export interface ItemPlace {
  readonly responseId: string;
  readonly isInput: boolean;
}

/** Returns the response that an item belongs to; undefined for an id that the gateway has not given. */
export function placeOf(itemId: string): ItemPlace | undefined {
  const [, requestId, input] = ITEM_ID.exec(itemId) ?? [];
  return requestId === undefined
    ? undefined
    : { responseId: responseId(requestId), isInput: input !== undefined };
}

/** Returns the items of a call's input as its response has them: each with an id and complete members. */
export const toStoredItems = (items: readonly InputItem[], requestId: string): object[] =>
  items.map((item, index) => {
    const id = textOf(item.id) || `${ID_PREFIXES[item.type ?? 'message']}_${requestId}_in_${index}`;
    const status = textOf(item.status) || 'completed';
    switch (item.type) {
      case 'reasoning':
        return { ...item, id, summary: item.summary ?? [] };
      case 'compaction':
        return { ...item, id };
      case undefined:
      case null:
      case 'message':
        return { ...item, id, type: 'message', status, content: partsOf(item) };
      default:
        return { ...item, id, status };
    }
  });

type MessageItem = z.output<typeof itemSchemas.message>;

function partsOf({ role, content }: MessageItem): object[] {
  const isOutput = role === 'assistant';
  const toText = (text: string) =>
    isOutput ? { type: 'output_text', text, annotations: [], logprobs: [] } : { type: 'input_text', text };
  if (typeof content === 'string') return content === '' ? [] : [toText(content)];
  return (content ?? []).map((part: InputPart) => {
    switch (part.type) {
      case 'text':
        return toText(part.text);
      case 'image_url':
        return { type: 'input_image', image_url: part.image_url.url, detail: 'auto' };
      case 'input_image':
        return { ...part, detail: part.detail ?? 'auto' };
      case 'output_text':
        return { annotations: [], logprobs: [], ...part };
      default:
        return part;
    }
  });
}
