import type { ParsedObject } from '@gateway/json-body';
import { parseExact } from '../../json/exact-json';
import type { ContentBlock } from './content-block';
import type { Message } from './messages-schema';

/** Returns the messages with the exact digits of long integers in tool inputs, read from the body's bytes. */
export function withExactInputs(
  messages: readonly Message[],
  bytes: Buffer,
  members: ParsedObject['members'],
): readonly Message[] {
  const member = members.find(({ key }) => key === 'messages');
  if (!member?.hasLongInteger) return messages;
  const exact = parseExact(bytes.toString('utf8', member.valueStart, member.valueEnd)) as readonly Message[];
  return messages.map((message, index) => {
    if (!Array.isArray(message.content)) return message;
    const blocks = exact[index]?.content as readonly ContentBlock[];
    return {
      ...message,
      content: message.content.map((block: ContentBlock, at) => {
        const same = blocks[at];
        return block.type === 'tool_use' && same?.type === 'tool_use'
          ? { ...block, input: same.input }
          : block;
      }),
    };
  });
}
