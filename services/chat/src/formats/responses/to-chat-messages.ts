import { textOf } from '@gateway/upstream';
import { tagSignature } from '../../domain/signature-tag';
import { readSummary } from '../../domain/summary-content';
import type { ChatMessage } from '../openai/chat-schema';
import { flatName, textArguments } from './caller-tools';
import { type EncryptedContent, readEncrypted } from './encrypted-content';
import type { InputItem, InputPart, ItemReference } from './responses-schema';

type ChatPart = Exclude<ChatMessage['content'], string | null | undefined>[number];

/**
 * Returns the items as chat messages, one for each, so that the index of a message is that of its item. The message of a reference is
 * empty.
 */
export function toChatMessages(items: readonly (InputItem | ItemReference)[]): ChatMessage[] {
  // Gemini's proof of a tool call is in the reasoning item before it; those of parallel calls may precede all of them.
  let proofs: EncryptedContent[] = [];
  const late = lateProofs(items);
  return items.map((item) => {
    switch (item.type) {
      case 'reasoning': {
        const encrypted = item.encrypted_content ? readEncrypted(item.encrypted_content) : undefined;
        if (encrypted?.of === 'call' && encrypted.callId === undefined) proofs.push(encrypted);
        const { content, summary } = item;
        // Models that show their thinking whole put it into the content (gpt-oss).
        const parts = content?.length ? content : (summary ?? []);
        const text = parts.map((part) => part.text).join('\n\n');
        return { role: 'assistant', content: '', reasoning_details: detailsOf(text, encrypted) };
      }
      case 'function_call':
        return callMessage(item, item.arguments, late.get(item.call_id) ?? proofs.shift());
      case 'custom_tool_call':
        return callMessage(item, textArguments(item.input), late.get(item.call_id) ?? proofs.shift());
      case 'function_call_output':
      case 'custom_tool_call_output':
        proofs = [];
        return { role: 'tool', tool_call_id: item.call_id, content: toContent(item.output) };
      case 'item_reference':
        return { role: 'assistant', content: '' };
      case undefined:
      case null:
      case 'message':
        if (item.role !== 'assistant') proofs = [];
        return { role: item.role, content: toContent(item.content ?? '') };
      case 'compaction': {
        const summary = readSummary(textOf(item.encrypted_content));
        // Another one only passes through.
        return summary === undefined
          ? { role: 'assistant', content: '' }
          : { role: 'user', content: summary };
      }
      default:
        // It only passes through.
        return { role: 'assistant', content: '' };
    }
  });
}

/** Returns the proofs of calls that came after them, by the calls' ids. */
function lateProofs(items: readonly (InputItem | ItemReference)[]): Map<string, EncryptedContent> {
  const proofs = new Map<string, EncryptedContent>();
  for (const item of items) {
    if (item.type !== 'reasoning' || !item.encrypted_content) continue;
    const encrypted = readEncrypted(item.encrypted_content);
    if (encrypted.of === 'call' && encrypted.callId !== undefined) proofs.set(encrypted.callId, encrypted);
  }
  return proofs;
}

function callMessage(
  { call_id: id, name, namespace }: { call_id: string; name: string; namespace?: string | null | undefined },
  args: string,
  proof: EncryptedContent | undefined,
): ChatMessage {
  const call = {
    id,
    type: 'function',
    function: { name: flatName(name, namespace), arguments: args },
    ...(proof && { extra_content: { google: { thought_signature: tagSignature(proof.signature) } } }),
  };
  return { role: 'assistant', content: '', tool_calls: [call] };
}

/** In the extension of chat completions that carries signed thinking. */
function detailsOf(text: string, encrypted: EncryptedContent | undefined): object[] {
  if (encrypted?.of === 'redacted') return [{ data: tagSignature(encrypted.signature) }];
  if (encrypted?.of === 'thinking') return [{ text, signature: tagSignature(encrypted.signature) }];
  return text === '' ? [] : [{ text }];
}

const toContent = (content: string | readonly InputPart[]): string | ChatPart[] =>
  typeof content === 'string' ? content : content.map(toChatPart);

function toChatPart(part: InputPart): ChatPart {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { ...part, type: 'text', text: part.text };
    case 'refusal':
      return { type: 'refusal', refusal: part.refusal };
    case 'input_image':
      return {
        type: 'image_url',
        image_url: { url: part.image_url ?? '', detail: part.detail ?? undefined },
      };
    case 'input_file': {
      const { file_data, file_url, filename } = part;
      return {
        type: 'file',
        file: { ...(file_data && { file_data }), ...(file_url && { file_url }), filename },
      };
    }
    case 'image_url':
    case 'input_audio':
      return part;
  }
}
