import { toErrorFrame } from '@gateway/errors';
import { inputTokensOf } from '@gateway/pricing';
import type { ReplyFormat, ReplyIdentity } from '../../domain/caller-request';
import type { Citation, Signature, WebSearchPart } from '../../domain/conversation';
import { placedSignature } from '../../domain/gemini-signature';
import type { ReplyEvent, StopReason, StreamWriter, ToolCallStart } from '../../domain/reply';
import { type AudioTokens, audioOf, type TokenUsage } from '../../domain/usage';
import { parseExactObject } from '../../json/exact-json';
import { eventsOf } from '../reply-events';
import { writeGrounding } from './grounding';
import { type ForeignThought, writeForeign } from './thought-signature';

interface WrittenPart {
  text?: string;
  readonly thought?: true;
  thoughtSignature?: string;
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: object };
}

/** Google's API has no reason for a stop sequence, nor for a turn that is paused. */
const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  end: 'STOP',
  stop_sequence: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  context_full: 'MAX_TOKENS',
  pause: 'MAX_TOKENS',
  refusal: 'SAFETY',
};

/** Marks the thinking of a provider that does not sign. */
const UNSIGNED: Signature = { wire: 'openai', value: '' };

/** Replies in the format of `generateContent`. @param showsThoughts the caller asked for the thoughts */
export function geminiReplies(showsThoughts: boolean): ReplyFormat {
  return {
    write: ({ parts, stop }, usage, identity) => {
      const stream = new ContentStream(identity, showsThoughts);
      const response = stream.whole([...eventsOf(parts), { kind: 'stop', stop }], usage);
      return Buffer.from(JSON.stringify(response));
    },
    stream: (identity) => new ContentStream(identity, showsThoughts),
    usage: writeUsage,
    usageMember: 'usageMetadata',
    errorFrame: (error) => toErrorFrame(error, 'google'),
    keepAlive: '\n\n',
  };
}

/**
 * Writes `GenerateContentResponse`s. A call is written when its arguments are complete: its pieces have no order here. Thoughts of
 * another provider travel in the signature of the part that follows them.
 */
class ContentStream implements StreamWriter {
  readonly #identity: ReplyIdentity;
  readonly #showsThoughts: boolean;
  /** Not written yet. */
  #parts: WrittenPart[] = [];
  #thought = '';
  #foreign: ForeignThought[] = [];
  readonly #calls = new Map<number, ToolCallStart & { arguments: string }>();
  #stop: StopReason = 'end';
  #text = '';
  readonly #searches: WebSearchPart[] = [];
  readonly #citations: Citation[] = [];

  constructor(identity: ReplyIdentity, showsThoughts: boolean) {
    this.#identity = identity;
    this.#showsThoughts = showsThoughts;
  }

  write(events: readonly ReplyEvent[]): string {
    for (const event of events) this.#take(event);
    if (this.#parts.length === 0) return '';
    return frame(this.#response(this.#taken()));
  }

  end(usage: TokenUsage): string {
    return frame(this.#last(usage));
  }

  /** Returns a complete response. */
  whole(events: readonly ReplyEvent[], usage: TokenUsage): object {
    for (const event of events) this.#take(event);
    return this.#last(usage);
  }

  /** Returns the last response: what is not written yet, the finish reason and the usage. */
  #last(usage: TokenUsage): object {
    this.#endCalls();
    if (this.#foreign.length > 0) this.#addPart({ text: '' });
    const { content, ...rest } = candidateOf(this.#taken());
    const grounding = this.#searches.length > 0 && {
      groundingMetadata: writeGrounding(this.#text, this.#searches, this.#citations),
    };
    const candidate = { content, finishReason: FINISH_REASONS[this.#stop], ...grounding, ...rest };
    return { ...this.#head([candidate]), usageMetadata: writeUsage(usage) };
  }

  #taken(): readonly WrittenPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #response(parts: readonly WrittenPart[]): object {
    return this.#head([candidateOf(parts)]);
  }

  #head(candidates: readonly object[]): object {
    const { model, requestId } = this.#identity;
    return { candidates, modelVersion: model, responseId: requestId };
  }

  #take(event: ReplyEvent): void {
    switch (event.kind) {
      case 'text':
        this.#text += event.text;
        if (event.text !== '') this.#addPart({ text: event.text });
        return;
      case 'thinking':
        this.#thought += event.text;
        if (this.#showsThoughts && event.text !== '') this.#parts.push({ text: event.text, thought: true });
        return;
      case 'thinking_signature':
        this.#sign('thinking', event.signature);
        return;
      case 'redacted_thinking':
        this.#sign('redacted_thinking', event.data);
        return;
      case 'tool_call':
        this.#calls.set(event.call, { ...event, arguments: '' });
        return;
      case 'tool_arguments': {
        const call = this.#calls.get(event.call);
        if (!call) throw new Error(`arguments of call ${event.call}, which has not begun`);
        call.arguments += event.text;
        return;
      }
      case 'call_signature': {
        const call = this.#calls.get(event.call);
        if (call) this.#calls.set(event.call, { ...call, signature: event.signature });
        return;
      }
      case 'web_search':
        this.#searches.push(event);
        return;
      case 'citation':
        this.#citations.push(event.citation);
        return;
      case 'stop':
        this.#stop = event.stop;
    }
  }

  #sign(kind: ForeignThought['kind'], signature: Signature): void {
    this.#foreign.push({ kind, text: kind === 'thinking' ? this.#thought : '', signature });
    if (kind === 'thinking') this.#thought = '';
  }

  #endCalls(): void {
    for (const { id, name, arguments: text, signature } of this.#calls.values()) {
      // Providers want the thinking of a turn of calls back, and clients need not send thoughts.
      if (this.#thought !== '') this.#sign('thinking', UNSIGNED);
      if (signature) this.#sign('call', signature);
      this.#addPart({ functionCall: { id, name, args: argsOf(text) } });
    }
    this.#calls.clear();
  }

  #addPart(part: WrittenPart): void {
    const foreign = this.#foreign;
    this.#foreign = [];
    this.#parts.push(foreign.length > 0 ? { ...part, thoughtSignature: signatureOf(foreign) } : part);
  }
}

/** A signature of Gemini, from another of its APIs, is written as it is. */
function signatureOf(thoughts: readonly ForeignThought[]): string {
  const [first] = thoughts;
  const own = thoughts.length === 1 ? placedSignature(first!.signature) : undefined;
  return own?.value ?? writeForeign(thoughts);
}

const frame = (response: object): string => `data: ${JSON.stringify(response)}\n\n`;

const candidateOf = (parts: readonly WrittenPart[]) => ({ content: { role: 'model', parts }, index: 0 });

/** Arguments that are no object, because the reply was cut, are kept as text. */
const argsOf = (text: string): object =>
  text.trim() === '' ? {} : (parseExactObject(text) ?? { INVALID_JSON: text });

/** Only the prompt may be audio: replies of this format are text. */
const modalitiesOf = (prompt: number, { input, cacheRead }: AudioTokens): object => ({
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: prompt - input - cacheRead },
    { modality: 'AUDIO', tokenCount: input + cacheRead },
  ],
  ...(cacheRead > 0 && { cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: cacheRead }] }),
});

/** In this format the prompt includes cache reads, and the candidates exclude thoughts. */
function writeUsage(usage: TokenUsage): object {
  const prompt = inputTokensOf(usage);
  const audio = audioOf(usage);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.output - usage.reasoning,
    totalTokenCount: prompt + usage.output,
    ...(usage.cache_read > 0 && { cachedContentTokenCount: usage.cache_read }),
    ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
    ...(audio && modalitiesOf(prompt, audio)),
  };
}
