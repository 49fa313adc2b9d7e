import { createHash } from 'node:crypto';
import { allInstructions } from '../../domain/all-instructions';
import type { ChatProvider } from '../../domain/chat-provider';
import type { Conversation, OutputShape } from '../../domain/conversation';
import { writeMembers } from '../../json/write-members';
import { limitBreakpoints } from './cache-breakpoints';
import { fitSchema } from './fit-schema';
import type { JsonFormat, MessagesBody, TextBlock } from './messages-body';
import { isBlank, textBlock, writeText } from './write-input';
import { withoutOpenThoughts, writeMessages } from './write-messages';
import { thinkingRules, writeSampling, writeThinking } from './write-thinking';
import { forcesTool, writeTools } from './write-tools';

const JSON_ONLY =
  'Answer with one JSON object and nothing else: no words before or after it, and no code fence.';

type RequestArguments = Parameters<ChatProvider['writeRequest']>;

/** Writes the body of a messages call. @throws GatewayError as `messagesBody` does */
export const writeRequest = (...call: RequestArguments): Buffer =>
  Buffer.from(writeMembers(messagesBody(...call)));

/**
 * Returns the body of a messages call. Penalties and the seed have no equivalent and are omitted, as hints are.
 * @throws GatewayError `invalid_request` for anything that the API lacks and the caller would miss
 */
export function messagesBody(
  ...[conversation, upstreamModel, maxOutputTokens, capabilities]: RequestArguments
): MessagesBody {
  const compiles = capabilities.has('json_schema');
  const rules = thinkingRules(capabilities);
  const shape = writeShape(conversation.output, compiles);
  const written = writeMessages(conversation.turns, !rules.adaptive && !shape.format);
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
    ...writeTools(conversation, compiles),
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

/**
 * Instructions from the middle of a conversation are appended to the first ones: most models refuse them among the messages,
 * and as user text they would lose their authority.
 */
function writeSystem(conversation: Conversation, instruction: string | undefined): TextBlock[] {
  const said = allInstructions(conversation).filter(({ text }) => !isBlank(text));
  const all = said.map(writeText);
  return instruction === undefined ? all : [...all, textBlock(instruction)];
}

interface WrittenShape {
  readonly format?: JsonFormat;
  /** For models without structured output. */
  readonly instruction?: string;
}

function writeShape(output: OutputShape, compiles: boolean): WrittenShape {
  if (output.kind !== 'schema') return output.kind === 'json' ? { instruction: JSON_ONLY } : {};
  const described = { ...(output.description && { description: output.description }), ...output.schema };
  const schema = compiles ? fitSchema(described) : undefined;
  if (schema) return { format: { type: 'json_schema', schema } };
  return { instruction: `${JSON_ONLY} It is valid by this JSON schema:\n${JSON.stringify(described)}` };
}

/** The API refuses email addresses and phone numbers, which some callers send as the user's id. */
function opaque(endUser: string): string {
  return createHash('sha256').update(endUser).digest('hex');
}
