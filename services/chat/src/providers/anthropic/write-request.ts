import { createHash } from 'node:crypto';
import type { ChatProvider } from '../../domain/chat-provider';
import type { OutputShape } from '../../domain/conversation';
import { writeMembers } from '../../json/write-members';
import { isBlank } from './blank-texts';
import { limitBreakpoints } from './cache-breakpoints';
import { fitSchema } from './fit-schema';
import type { JsonFormat, MessagesBody } from './messages-body';
import { withoutOpenThoughts, writeMessages } from './write-messages';
import { jsonInstruction, writeSystem } from './write-system';
import { thinkingRules, writeSampling, writeThinking } from './write-thinking';
import { forcesTool, type WrittenTools, writeTools } from './write-tools';

/** The last: the server expects the ids of calls as they are. */
type RequestArguments = [...Parameters<ChatProvider['writeRequest']>, keepsIds?: boolean];

/** Writes the body of a messages call. @throws GatewayError as `messagesBody` does */
export const writeRequest = (...call: RequestArguments): Buffer =>
  Buffer.from(writeMembers(messagesBody(...call)));

/**
 * Returns the body of a messages call. Penalties and the seed have no equivalent and are omitted, as hints are.
 * @throws GatewayError `invalid_request` for anything that the API lacks and the caller would miss
 */
export function messagesBody(
  ...[conversation, upstreamModel, maxOutputTokens, capabilities, keepsIds]: RequestArguments
): MessagesBody {
  const compiles = capabilities.has('json_schema');
  const rules = thinkingRules(capabilities);
  const shape = writeShape(conversation.output, compiles);
  const written = writeMessages(conversation.turns, !rules.adaptive && !shape.format, keepsIds);
  const { thinking, effort } = writeThinking(conversation.reasoning, rules, {
    maxOutputTokens,
    forcesTool: forcesTool(conversation),
    messages: written,
  });
  const thinks = thinking !== undefined && thinking.type !== 'disabled';
  const messages = thinks ? written : withoutOpenThoughts(written);
  const system = writeSystem(conversation, shape.instruction);
  const stop = conversation.sampling.stop.filter((sequence) => !isBlank(sequence));
  const body: MessagesBody = {
    model: upstreamModel,
    max_tokens: maxOutputTokens,
    stream: conversation.stream,
    ...withSearch(writeTools(conversation, compiles)),
    system: system.length > 0 ? system : undefined,
    messages,
    thinking,
    output_config: effort || shape.format ? { effort, format: shape.format } : undefined,
    ...writeSampling(conversation.sampling, rules, thinks),
    stop_sequences: stop.length > 0 ? stop : undefined,
    metadata: conversation.endUser === undefined ? undefined : { user_id: opaque(conversation.endUser) },
  };
  limitBreakpoints(body);
  return body;
}

const withSearch = ({ tools, search, tool_choice }: WrittenTools) =>
  search ? { tools: [...(tools ?? []), search], tool_choice } : { tools, tool_choice };

interface WrittenShape {
  readonly format?: JsonFormat;
  /** For models without structured output. */
  readonly instruction?: string;
}

function writeShape(output: OutputShape, compiles: boolean): WrittenShape {
  if (output.kind !== 'schema') return output.kind === 'json' ? { instruction: jsonInstruction() } : {};
  const described = { ...(output.description && { description: output.description }), ...output.schema };
  const schema = compiles ? fitSchema(described) : undefined;
  if (schema) return { format: { type: 'json_schema', schema } };
  return { instruction: jsonInstruction(described) };
}

/** The API refuses email addresses and phone numbers, which some callers send as the user's id. */
function opaque(endUser: string): string {
  return createHash('sha256').update(endUser).digest('hex');
}
