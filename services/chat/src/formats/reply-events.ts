import type { ReplyEvent, ReplyPart } from '../domain/reply';

/** Returns the events of a stream with these parts. */
export function eventsOf(parts: readonly ReplyPart[]): ReplyEvent[] {
  const events: ReplyEvent[] = [];
  let calls = 0;
  for (const part of parts) {
    if (part.kind === 'tool_call') {
      const { id, name, signature } = part;
      const call = calls++;
      events.push({ kind: 'tool_call', call, id, name, ...(signature && { signature }) });
      events.push({ kind: 'tool_arguments', call, text: part.arguments });
    } else if (part.kind === 'thinking') {
      events.push({ kind: 'thinking', text: part.text });
      if (part.signature) events.push({ kind: 'thinking_signature', signature: part.signature });
    } else if (part.kind === 'text') {
      events.push({ kind: 'text', text: part.text });
      for (const citation of part.citations ?? []) events.push({ kind: 'citation', citation });
    } else events.push(part);
  }
  return events;
}
