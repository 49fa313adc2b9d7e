import type { ReplyFormat, ReplyIdentity } from '../../domain/caller-request';
import type { AssistantPart } from '../../domain/conversation';
import type { Reply, ReplyEvent } from '../../domain/reply';
import type { TokenUsage } from '../../domain/usage';
import type { CallerTools } from './caller-tools';
import { requestMembers } from './response-json';
import { ResponseStream } from './response-stream';
import type { ResponsesBody } from './responses-schema';

/** Replies in the format of `POST /v1/responses`. */
export function responsesReplies(
  body: ResponsesBody,
  tools: CallerTools,
  includesEncrypted: boolean,
): ReplyFormat {
  const streamOf = (identity: ReplyIdentity) =>
    new ResponseStream(identity, { members: requestMembers(body), tools, includesEncrypted });
  return {
    write: (reply, usage, identity) => writeResponse(streamOf(identity), reply, usage),
    stream: streamOf,
    errorFrame: (error, identity) => streamOf(identity).fail(error),
  };
}

/** A complete response has the items that its stream would have. */
function writeResponse(stream: ResponseStream, { parts, stop }: Reply, usage: TokenUsage): Buffer {
  let calls = 0;
  for (const part of parts) stream.write(eventsOf(part, part.kind === 'tool_call' ? calls++ : 0));
  stream.write([{ kind: 'stop', stop }]);
  return Buffer.from(stream.response(usage));
}

function eventsOf(part: AssistantPart, call: number): ReplyEvent[] {
  switch (part.kind) {
    case 'text':
      return [{ kind: 'text', text: part.text }];
    case 'thinking': {
      const { text, signature } = part;
      return [
        { kind: 'thinking', text },
        ...(signature ? [{ kind: 'thinking_signature', signature } as const] : []),
      ];
    }
    case 'redacted_thinking':
      return [part];
    case 'tool_call': {
      const { id, name, signature } = part;
      return [
        { kind: 'tool_call', call, id, name, ...(signature && { signature }) },
        { kind: 'tool_arguments', call, text: part.arguments },
      ];
    }
  }
}
