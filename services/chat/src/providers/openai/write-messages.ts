import { createHash } from 'node:crypto';
import { listOf, membersOf, textOf } from '@gateway/upstream';
import { allInstructions } from '../../domain/all-instructions';
import type {
  AssistantPart,
  AssistantTurn,
  Conversation,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
  UserPart,
} from '../../domain/conversation';
import { isThought, joinSpokenTurns } from '../../domain/join-adjacent-turns';
import { joinTexts } from '../../domain/join-texts';
import { shortenToolId } from '../../domain/tool-ids';
import type { OpenAiQuirks, ReasoningReplay } from './quirks';
import { inThinkTags } from './think-tags';
import { textPart, type WrittenPart, writePart } from './write-parts';

type Message = Readonly<Record<string, unknown>>;

const UNANSWERED = 'No result.';
const ERROR_PREFIX = 'Error: ';
const ATTACHED = 'See the attachment below.';
/** The assistant's text between a tool's result and the user's message, for providers that require one. */
const BRIDGE = 'Understood.';
const CONTINUE = '(Continue.)';
const SHORT_ID_CHARS = 9;
/** OpenAI's limit for chat completions. */
export const MAX_TOOL_ID_CHARS = 40;

/** Writes a conversation as messages of this format: every tool call is answered at once, by tool messages only. */
export function writeMessages(conversation: Conversation, quirks: OpenAiQuirks): Message[] {
  const { system, turns } = conversation;
  const messages = new Messages(quirks);
  // As user text, later instructions would lose their authority.
  messages.addInstructions(quirks.strictOrder ? allInstructions(conversation) : system);
  const spoken = quirks.strictOrder ? turns.filter(({ role }) => role !== 'system') : turns;
  for (const turn of joinSpokenTurns(sentTurns(spoken, quirks), isSilent)) {
    if (turn.role === 'system') messages.addInstructions(turn.parts);
    else if (turn.role === 'user') messages.addUser(turn.parts);
    else messages.addAssistant(turn);
  }
  return messages.finish();
}

/** Content between a call and its result waits until every call of the round is answered. */
class Messages {
  readonly #quirks: OpenAiQuirks;
  readonly #messages: Message[] = [];
  /** Calls without a result so far, by the ids that the provider knows. */
  readonly #open = new Set<string>();
  /** Media of the round's results, which tool messages can't hold. */
  #attachments: WrittenPart[] = [];
  #waiting: Message[] = [];

  constructor(quirks: OpenAiQuirks) {
    this.#quirks = quirks;
  }

  addInstructions(parts: readonly TextPart[]): void {
    const content = joinTexts(
      parts.map(({ text }) => text),
      '\n\n',
    );
    if (content !== '') this.#waiting.push({ role: 'system', content });
    this.#closeRoundIfAnswered();
  }

  addUser(parts: readonly UserPart[]): void {
    const content: WrittenPart[] = [];
    for (const part of parts) {
      if (part.kind !== 'tool_result') {
        if (!isEmptyText(part)) content.push(writePart(part, this.#quirks));
      } else if (this.#open.delete(this.#id(part.callId))) {
        this.#addResult(part);
      } else {
        // A tool message without its call is refused; its content is sent as text.
        content.push(...part.parts.map((inner) => writePart(inner, this.#quirks)));
      }
    }
    if (content.length > 0) this.#waiting.push({ role: 'user', content });
    this.#closeRoundIfAnswered();
  }

  addAssistant({ parts }: AssistantTurn): void {
    this.#closeRound();
    const calls = parts.filter((part) => part.kind === 'tool_call');
    // The user's content between two turns may have been removed completely.
    const earlier = this.#messages.at(-1)?.role === 'assistant' ? this.#messages.pop() : undefined;
    const text = String(earlier?.content ?? '') + joinedText(parts, 'text');
    const thought = String(earlier?.reasoning_content ?? '') + joinedText(parts, 'thinking');
    const details = [...listOf(earlier?.reasoning_details), ...reasoningDetails(parts)];
    const { reasoningReplay: replay } = this.#quirks;
    const hasField = replay !== undefined && replay !== 'reasoning_details';
    for (const call of calls) this.#open.add(this.#id(call.id));
    this.#messages.push({
      role: 'assistant',
      content: text === '' && calls.length > 0 ? null : text,
      // Even without a thought: DeepSeek refuses a turn with tool calls that lacks the field.
      reasoning_content: hasField && (thought !== '' || calls.length > 0) ? thought : undefined,
      reasoning_details: replay === 'reasoning_details' && details.length > 0 ? details : undefined,
      tool_calls: calls.length > 0 ? calls.map((call) => this.#writeCall(call)) : undefined,
    });
  }

  finish(): Message[] {
    this.#closeRound();
    if (this.#quirks.strictOrder && this.#messages.at(-1)?.role === 'assistant') {
      this.#messages.push({ role: 'user', content: CONTINUE });
    }
    const { reasoningReplay, stringContent } = this.#quirks;
    const messages = this.#messages.map(stringContent ? withStringContent : withPlainText);
    return messages.map((message) => withReplayedThinking(message, reasoningReplay));
  }

  #addResult({ callId, parts, isError }: ToolResultPart): void {
    const id = this.#id(callId);
    const texts: string[] = [];
    const media: WrittenPart[] = [];
    for (const part of parts) {
      const written = writePart(part, this.#quirks);
      if (written.type === 'text') texts.push(String(written.text));
      else media.push(written);
    }
    const text = texts.length === 0 && media.length > 0 ? ATTACHED : joinTexts(texts, '\n');
    this.#messages.push({ role: 'tool', tool_call_id: id, content: isError ? ERROR_PREFIX + text : text });
    if (media.length > 0) this.#attachments.push(textPart(`Attachment of the result of ${id}:`), ...media);
  }

  #closeRoundIfAnswered(): void {
    if (this.#open.size === 0) this.#closeRound();
  }

  #closeRound(): void {
    for (const id of this.#open) {
      this.#messages.push({ role: 'tool', tool_call_id: id, content: UNANSWERED });
    }
    this.#open.clear();
    if (this.#attachments.length > 0) this.#push({ role: 'user', content: this.#attachments });
    this.#attachments = [];
    for (const message of this.#waiting) this.#push(message);
    this.#waiting = [];
  }

  #push(message: Message): void {
    const last = this.#messages.at(-1);
    if (last?.role === 'user' && message.role === 'user') {
      const content = last.content as WrittenPart[];
      for (const part of message.content as WrittenPart[]) content.push(part);
      return;
    }
    if (this.#quirks.strictOrder && last?.role === 'tool' && message.role === 'user') {
      this.#messages.push({ role: 'assistant', content: BRIDGE });
    }
    this.#messages.push(message);
  }

  #writeCall({ id, name, arguments: text, signature }: ToolCallPart): object {
    return {
      id: this.#id(id),
      type: 'function',
      function: { name, arguments: text || '{}' },
      extra_content:
        signature?.wire === 'openai' ? { google: { thought_signature: signature.value } } : undefined,
    };
  }

  #id(id: string): string {
    const { shortToolIds, limitsTools } = this.#quirks;
    if (shortToolIds) return shortToolId(id);
    // Kimi's ids are part of what the model reads.
    return limitsTools ? shortenToolId(MAX_TOOL_ID_CHARS)(id) : id;
  }
}

/** Nine letters and digits, as Mistral creates them; other ids are hashed. */
export function shortToolId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  const digest = createHash('sha256')
    .update(id)
    .digest('base64')
    .replace(/[^a-zA-Z0-9]/g, '');
  return digest.slice(0, SHORT_ID_CHARS);
}

/** Returns the turns with what the provider receives of them; turns of which nothing is left do not separate others. */
function sentTurns(turns: readonly Turn[], quirks: OpenAiQuirks): Turn[] {
  const sent = turns.map((turn) => (turn.role === 'assistant' ? sentTurn(turn, quirks) : turn));
  return sent.filter(({ parts }) => !parts.every(isEmptyText));
}

/** Returns whether a turn has no content but thinking. */
const isSilent = ({ parts }: Turn): boolean => parts.every((part) => isThought(part) || isEmptyText(part));

/** Thinking is sent only to its own provider; that of this format is unsigned. */
function sentTurn(turn: AssistantTurn, { reasoningReplay }: OpenAiQuirks): AssistantTurn {
  const isSent = (part: AssistantPart) => {
    if (part.kind === 'redacted_thinking') {
      return reasoningReplay === 'reasoning_details' && part.data.wire === 'openai';
    }
    if (part.kind === 'thinking') return reasoningReplay !== undefined && isOwn(part);
    return !isEmptyText(part);
  };
  return turn.parts.every(isSent) ? turn : { role: 'assistant', parts: turn.parts.filter(isSent) };
}

function isEmptyText(part: UserPart | AssistantPart): boolean {
  return part.kind === 'text' && part.text === '';
}

function isOwn({ signature }: ThinkingPart): boolean {
  return signature === undefined || signature.wire === 'openai';
}

function joinedText(parts: AssistantTurn['parts'], kind: 'text' | 'thinking'): string {
  let text = '';
  for (const part of parts) if (part.kind === kind) text += part.text;
  return text;
}

/** The form that every compatible provider accepts. */
function withPlainText(message: Message): Message {
  const { content } = message;
  if (!Array.isArray(content) || content.length !== 1 || content[0].type !== 'text') return message;
  return { role: message.role, content: content[0].text };
}

/** Returns thinking in OpenRouter's form. */
function reasoningDetails(parts: AssistantTurn['parts']): object[] {
  return parts.flatMap((part): object[] => {
    if (part.kind === 'redacted_thinking') return [{ type: 'reasoning.encrypted', data: part.data.value }];
    if (part.kind !== 'thinking') return [];
    return [{ type: 'reasoning.text', text: part.text, signature: part.signature?.value }];
  });
}

/** Joins content of text parts to one string; other content is unchanged. */
export function withStringContent(message: Message): Message {
  const { content } = message;
  if (!Array.isArray(content) || content.length === 0) return message;
  const texts = content.map((part) => (membersOf(part).type === 'text' ? membersOf(part).text : undefined));
  return texts.every((text) => typeof text === 'string')
    ? { ...message, content: joinTexts(texts as string[], '\n') }
    : message;
}

/** Moves the `reasoning_content` of an assistant message to where the provider expects it; other messages are unchanged. */
export function withReplayedThinking(message: Message, replay: ReasoningReplay | undefined): Message {
  const { content, reasoning_content: thought, ...others } = message;
  if (message.role !== 'assistant' || thought === undefined) return message;
  if (replay === undefined || replay === 'reasoning_content' || replay === 'reasoning_details')
    return message;
  if (typeof thought !== 'string' || thought === '') return { ...others, content };
  if (replay === 'reasoning') return { ...others, content, reasoning: thought };
  if (replay === 'think_tags' && !Array.isArray(content)) {
    return { ...others, content: inThinkTags(thought) + textOf(content) };
  }
  if (replay === 'think_tags')
    return { ...others, content: [textPart(inThinkTags(thought)), ...listOf(content)] };
  const thinking = { type: 'thinking', thinking: [textPart(thought)] };
  const said = typeof content === 'string' && content !== '' ? [textPart(content)] : listOf(content);
  return { ...others, content: [thinking, ...said] };
}
