import type { ReplyIdentity } from '../../domain/caller-request';
import type { Citation, ToolCallPart } from '../../domain/conversation';
import { type Calling, writeFinishReason } from '../../domain/finish-reasons';
import type { Reply } from '../../domain/reply';
import type { BilledUsage } from '../../domain/usage';
import { citedRange } from '../cited-range';
import { REFUSAL_WITHOUT_TEXT } from './refusal-without-text';
import { type Thought, writeCallSignature, writeThoughts } from './write-thinking';
import { writeUsage } from './write-usage';

/** Writes a complete reply as a `chat.completion`. */
export function writeCompletion(
  reply: Reply,
  usage: BilledUsage,
  identity: ReplyIdentity,
  calling: Calling,
): Buffer {
  return Buffer.from(
    JSON.stringify({
      ...writeIdentity(identity, 'chat.completion'),
      choices: [
        {
          index: 0,
          message: writeMessage(reply, calling),
          logprobs: null,
          finish_reason: writeFinishReason(reply.stop, calling),
        },
      ],
      usage: writeUsage(usage),
    }),
  );
}

export function writeIdentity({ requestId, model, createdAtMs }: ReplyIdentity, object: string): object {
  return { id: `chatcmpl-${requestId}`, object, created: Math.floor(createdAtMs / 1_000), model };
}

function writeMessage({ parts, stop }: Reply, calling: Calling): object {
  let text = '';
  let thought = '';
  const calls: WrittenCall[] = [];
  const thoughts: Thought[] = [];
  const citations: Citation[] = [];
  for (const part of parts) {
    if (part.kind === 'text') {
      text += part.text;
      citations.push(...(part.citations ?? []));
    } else if (part.kind === 'web_search') continue;
    else if (part.kind === 'tool_call') calls.push(writeCall(part));
    else {
      if (part.kind === 'thinking') thought += part.text;
      thoughts.push(part);
    }
  }
  const details = writeThoughts(thoughts);
  const hasNoText = text === '' && calls.length === 0;
  return {
    role: 'assistant',
    content: text === '' && (calls.length > 0 || stop === 'refusal') ? null : text,
    refusal: hasNoText && stop === 'refusal' ? REFUSAL_WITHOUT_TEXT : null,
    ...(thought !== '' && { reasoning_content: thought }),
    ...(details && { reasoning_details: details }),
    ...(citations.length > 0 && { annotations: citations.map((one) => writeCitation(text, one)) }),
    // An empty list makes some clients wait for calls.
    ...(calls[0] && (calling === 'tools' ? { tool_calls: calls } : { function_call: calls[0].function })),
  };
}

export const writeCitation = (text: string, citation: Citation): object => ({
  type: 'url_citation',
  url_citation: { ...citedRange(text, citation), url: citation.url, title: citation.title },
});

interface WrittenCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: object;
}

function writeCall(part: ToolCallPart): WrittenCall {
  return {
    id: part.id,
    type: 'function',
    // Clients parse the arguments even if there are none.
    function: { name: part.name, arguments: part.arguments || '{}' },
    ...(part.signature && writeCallSignature(part.signature)),
  };
}
