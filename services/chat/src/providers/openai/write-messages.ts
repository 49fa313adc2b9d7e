import { createHash } from 'node:crypto';
import { listOf } from '@gateway/upstream';
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
import { joinNeighbours } from '../../domain/join-neighbours';
import { fitToolId } from '../../domain/tool-ids';
import type { OpenAiDialect } from './dialect';
import { textPart, type WrittenPart, writePart } from './write-parts';

type Message = Readonly<Record<string, unknown>>;

const UNANSWERED = 'No result.';
const ERROR_PREFIX = 'Error: ';
const ATTACHED = 'See the attachment below.';
/** What a model says where it has to say something between a tool's result and its user. */
const BRIDGE = 'Understood.';
const CONTINUE = '(Continue.)';
const SHORT_ID_CHARS = 9;

/** A conversation as this format's messages: every tool call is answered at once, and by tools alone. */
export function writeMessages(conversation: Conversation, dialect: OpenAiDialect): Message[] {
  const { system, turns } = conversation;
  const messages = new Messages(dialect);
  // As a user's words later instructions would lose their authority.
  messages.addInstructions(dialect.strictOrder ? allInstructions(conversation) : system);
  const spoken = dialect.strictOrder ? turns.filter(({ role }) => role !== 'system') : turns;
  for (const turn of joinNeighbours(sentTurns(spoken, dialect))) {
    if (turn.role === 'system') messages.addInstructions(turn.parts);
    else if (turn.role === 'user') messages.addUser(turn.parts);
    else messages.addAssistant(turn);
  }
  return messages.finish();
}

/** What does not belong between a call and its result waits until every call of the round is answered. */
class Messages {
  readonly #dialect: OpenAiDialect;
  readonly #messages: Message[] = [];
  /** Calls without a result so far, by the ids that the provider knows. */
  readonly #open = new Set<string>();
  /** Media of the round's results, which no tool message can hold. */
  #attachments: WrittenPart[] = [];
  #waiting: Message[] = [];

  constructor(dialect: OpenAiDialect) {
    this.#dialect = dialect;
  }

  addInstructions(parts: readonly TextPart[]): void {
    const content = parts.map(({ text }) => text).join('\n\n');
    if (content !== '') this.#waiting.push({ role: 'system', content });
    this.#closeRoundIfAnswered();
  }

  addUser(parts: readonly UserPart[]): void {
    const content: WrittenPart[] = [];
    for (const part of parts) {
      if (part.kind !== 'tool_result') {
        if (!isEmptyText(part)) content.push(writePart(part, this.#dialect));
      } else if (this.#open.delete(this.#id(part.callId))) {
        this.#addResult(part);
      } else {
        // Without its call a tool's message is refused; what it says is still worth reading.
        content.push(...part.parts.map((inner) => writePart(inner, this.#dialect)));
      }
    }
    if (content.length > 0) this.#waiting.push({ role: 'user', content });
    this.#closeRoundIfAnswered();
  }

  addAssistant({ parts }: AssistantTurn): void {
    this.#closeRound();
    const calls = parts.filter((part) => part.kind === 'tool_call');
    // Nothing may have been left of what the user said between two turns.
    const earlier = this.#messages.at(-1)?.role === 'assistant' ? this.#messages.pop() : undefined;
    const text = String(earlier?.content ?? '') + joinedText(parts, 'text');
    const thought = String(earlier?.reasoning_content ?? '') + joinedText(parts, 'thinking');
    for (const call of calls) this.#open.add(this.#id(call.id));
    this.#messages.push({
      role: 'assistant',
      content: text === '' && calls.length > 0 ? null : text,
      // Also when there was no thought: without the field DeepSeek refuses a turn that called tools.
      reasoning_content: this.#dialect.reasoningReplay ? thought : undefined,
      tool_calls: calls.length > 0 ? calls.map((call) => this.#writeCall(call)) : undefined,
    });
  }

  finish(): Message[] {
    this.#closeRound();
    if (this.#dialect.strictOrder && this.#messages.at(-1)?.role === 'assistant') {
      this.#messages.push({ role: 'user', content: CONTINUE });
    }
    const messages = this.#messages.map(withPlainText);
    return this.#dialect.reasoningReplay === 'thinking_parts' ? messages.map(withThinkingParts) : messages;
  }

  #addResult({ callId, parts, isError }: ToolResultPart): void {
    const id = this.#id(callId);
    const texts: string[] = [];
    const media: WrittenPart[] = [];
    for (const part of parts) {
      const written = writePart(part, this.#dialect);
      if (written.type === 'text') texts.push(String(written.text));
      else media.push(written);
    }
    const text = texts.length === 0 && media.length > 0 ? ATTACHED : texts.join('\n');
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
    if (this.#dialect.strictOrder && last?.role === 'tool' && message.role === 'user') {
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
    return this.#dialect.shortToolIds ? shortToolId(id) : fitToolId(id);
  }
}

/** Nine letters and digits, as Mistral makes them itself; others by their hash. */
export function shortToolId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  const digest = createHash('sha256')
    .update(id)
    .digest('base64')
    .replace(/[^a-zA-Z0-9]/g, '');
  return digest.slice(0, SHORT_ID_CHARS);
}

/** Turns without anything to send are left out. */
function sentTurns(turns: readonly Turn[], dialect: OpenAiDialect): Turn[] {
  const sent = turns.map((turn) => (turn.role === 'assistant' ? sentTurn(turn, dialect) : turn));
  return sent.filter(({ parts }) => !parts.every((part) => part.kind === 'thinking' || isEmptyText(part)));
}

/** Thoughts are only for who made them; this format's own are unsigned. */
function sentTurn(turn: AssistantTurn, { reasoningReplay }: OpenAiDialect): AssistantTurn {
  const isSent = (part: AssistantPart) => {
    if (part.kind === 'redacted_thinking') return false;
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

/** The form that every compatible provider takes. */
function withPlainText(message: Message): Message {
  const { content } = message;
  if (!Array.isArray(content) || content.length !== 1 || content[0].type !== 'text') return message;
  return { role: message.role, content: content[0].text };
}

/** An assistant's message with its `reasoning_content` as a part of the content; other messages as they are. */
export function withThinkingParts(message: Message): Message {
  const { content, reasoning_content: thought, ...others } = message;
  if (message.role !== 'assistant' || thought === undefined) return message;
  if (typeof thought !== 'string' || thought === '') return { ...others, content };
  const thinking = { type: 'thinking', thinking: [textPart(thought)] };
  const said = typeof content === 'string' && content !== '' ? [textPart(content)] : listOf(content);
  return { ...others, content: [thinking, ...said] };
}
