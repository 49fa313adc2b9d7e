import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { ReplyFraming } from '../../domain/reply-framing';

export const chatFraming: ReplyFraming = {
  toStream({ id, message, finish_reason, usage }) {
    const { content, tool_plan, tool_calls } = membersOf(message);
    const events = [
      { type: 'message-start', id },
      ...(textOf(tool_plan) === '' ? [] : [{ type: 'tool-plan-delta', delta: { message: { tool_plan } } }]),
      ...listOf(content).map((part, index) => ({
        ...{ type: 'content-start', index, delta: { message: { content: part } } },
      })),
      ...listOf(tool_calls).map((call, index) => ({
        ...{ type: 'tool-call-start', index, delta: { message: { tool_calls: call } } },
      })),
      { type: 'message-end', delta: { finish_reason, usage } },
    ];
    return Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  },
  toWhole(events) {
    const end = events.find(({ type }) => type === 'message-end');
    if (!end) return undefined;
    const parts = new Map<unknown, Record<string, unknown>>();
    const calls = new Map<unknown, { id: string; name: string; arguments: string }>();
    let toolPlan = '';
    for (const event of events) {
      const { content, tool_plan, tool_calls } = membersOf(membersOf(event.delta).message);
      toolPlan += textOf(tool_plan);
      if (event.type === 'content-start' || event.type === 'content-delta')
        addPart(parts, event.index, content);
      const call = membersOf(Array.isArray(tool_calls) ? tool_calls[0] : tool_calls);
      const { name, arguments: json } = membersOf(call.function);
      if (event.type === 'tool-call-start')
        calls.set(event.index, { id: textOf(call.id), name: textOf(name), arguments: textOf(json) });
      const begun = calls.get(event.index);
      if (event.type === 'tool-call-delta' && begun) begun.arguments += textOf(json);
    }
    const tool_calls = [...calls.values()].map(({ id, ...called }) => ({
      id,
      type: 'function',
      function: called,
    }));
    return {
      id: events.find(({ type }) => type === 'message-start')?.id,
      message: { role: 'assistant', content: [...parts.values()], tool_plan: toolPlan, tool_calls },
      ...membersOf(end.delta),
    };
  },
};

function addPart(parts: Map<unknown, Record<string, unknown>>, index: unknown, content: unknown): void {
  const { text, thinking }: JsonObject = membersOf(content);
  const kind = typeof thinking === 'string' ? 'thinking' : 'text';
  const part = parts.get(index) ?? { type: kind };
  part[kind] = textOf(part[kind]) + textOf(kind === 'text' ? text : thinking);
  parts.set(index, part);
}
