import type { Citation, Signature, ToolCallPart } from '../../domain/conversation';
import { placedSignature } from '../../domain/gemini-signature';
import type { Reply, ReplyEvent, ReplyPart } from '../../domain/reply';

/**
 * Returns the reply that the events describe. Searches precede the text, which is what the model found. The signature of a text precedes it, as thinking without text, because callers'
 * formats put thinking first.
 * @throws Error when the events have no end
 */
export function wholeReply(events: readonly ReplyEvent[]): Reply {
  const parts: ReplyPart[] = [];
  for (const event of events) {
    if (event.kind === 'stop') return { parts, stop: event.stop };
    addEvent(parts, event);
  }
  throw new Error('the reply has no end');
}

function addEvent(parts: ReplyPart[], event: ReplyEvent): void {
  const last = parts.at(-1);
  switch (event.kind) {
    case 'text':
    case 'thinking':
      if (last?.kind === event.kind && !isSigned(parts)) {
        parts[parts.length - 1] = { ...last, text: last.text + event.text };
      } else if (event.kind === 'text') parts.push({ kind: 'text', text: event.text, cache: undefined });
      else parts.push({ kind: 'thinking', text: event.text, signature: undefined });
      return;
    case 'thinking_signature':
      addSignature(parts, event.signature);
      return;
    case 'web_search':
      parts.splice(firstText(parts), 0, event);
      return;
    case 'citation':
      addCitation(parts, event.citation);
      return;
    case 'tool_call': {
      const { id, name, signature } = event;
      parts.push({ kind: 'tool_call', id, name, arguments: '', signature, cache: undefined });
      return;
    }
    case 'tool_arguments':
      changeCall(parts, { arguments: event.text });
      return;
    case 'call_signature':
      changeCall(parts, { signature: event.signature });
  }
}

/** Changes the last call: its arguments end before the next call starts. */
function changeCall(
  parts: ReplyPart[],
  fields: Partial<Pick<ToolCallPart, 'arguments' | 'signature'>>,
): void {
  const at = parts.findLastIndex(({ kind }) => kind === 'tool_call');
  const call = parts[at];
  if (call?.kind === 'tool_call') parts[at] = { ...call, ...fields };
}

const firstText = (parts: readonly ReplyPart[]): number => {
  const at = parts.findIndex(({ kind }) => kind === 'text');
  return at === -1 ? parts.length : at;
};

function addCitation(parts: ReplyPart[], citation: Citation): void {
  const at = parts.findLastIndex((part) => part.kind === 'text' && part.text.includes(citation.cited));
  const text = parts[at];
  if (text?.kind === 'text') parts[at] = { ...text, citations: [...(text.citations ?? []), citation] };
}

/** Nothing is joined to a signed part (ai.google.dev/gemini-api/docs/thought-signatures). */
function isSigned(parts: readonly ReplyPart[]): boolean {
  const last = parts.at(-1);
  if (last?.kind === 'thinking') return last.signature !== undefined;
  const before = parts.at(-2);
  return before?.kind === 'thinking' && placedSignature(before.signature)?.on === 'text';
}

function addSignature(parts: ReplyPart[], signature: Signature): void {
  const last = parts.at(-1);
  if (placedSignature(signature)?.on === 'text') {
    const at = last?.kind === 'text' ? parts.length - 1 : parts.length;
    parts.splice(at, 0, { kind: 'thinking', text: '', signature });
  } else if (last?.kind === 'thinking' && !last.signature) {
    parts[parts.length - 1] = { ...last, signature };
  } else parts.push({ kind: 'thinking', text: '', signature });
}
