import type { ReplyIdentity } from '../../domain/caller-request';
import { type Calling, writeFinishReason } from '../../domain/finish-reasons';
import type { CallSignature, ReplyEvent, StopReason, StreamWriter, ToolCallStart } from '../../domain/reply';
import type { BilledUsage } from '../../domain/usage';
import { writeCitation, writeIdentity } from './completion-writer';
import { REFUSAL_WITHOUT_TEXT } from './refusal-without-text';
import { type Thought, writeCallSignature, writeThoughts } from './write-thinking';
import { writeUsage } from './write-usage';

const DONE = 'data: [DONE]\n\n';

/**
 * Writes a stream of `chat.completion.chunk`s. The members that all chunks share are serialized once. Signed thinking is sent
 * as a whole at the end: of an unknown field, clients keep the pieces, join them, or keep only the last (openai-node's stream
 * helper), and then send it back.
 */
export class ChunkWriter implements StreamWriter {
  readonly #identity: ReplyIdentity;
  readonly #includeUsage: boolean;
  /** `data: {"id":…` up to the members of the delta. */
  readonly #head: string;
  /** If usage was requested, all other chunks have null usage. */
  readonly #nullUsage: string;
  readonly #calling: Calling;
  #begun = false;
  #stop: StopReason | undefined;
  #text = '';
  /** The thought in progress. */
  #thought: string | undefined;
  readonly #thoughts: Thought[] = [];
  /** Calls that have received no arguments yet. */
  readonly #bareCalls = new Set<number>();
  #calls = 0;

  constructor(identity: ReplyIdentity, includeUsage: boolean, calling: Calling) {
    this.#calling = calling;
    this.#identity = identity;
    this.#includeUsage = includeUsage;
    const shared = JSON.stringify(writeIdentity(identity, 'chat.completion.chunk')).slice(0, -1);
    this.#head = `data: ${shared},"choices":[{"index":0,"delta":`;
    this.#nullUsage = includeUsage ? ',"usage":null' : '';
  }

  write(events: readonly ReplyEvent[]): string {
    let frames = '';
    for (let i = 0; i < events.length; i++) {
      const event = events[i]!;
      const next = events[i + 1];
      // Mistral's clients read each chunk as a whole call: one that arrived whole is sent as one.
      if (event.kind === 'tool_call' && next?.kind === 'tool_arguments' && next.call === event.call) {
        frames += this.#callStart(event, next.text);
        i++;
      } else frames += this.#writeEvent(event);
    }
    return frames;
  }

  end(usage: BilledUsage): string {
    const finish = this.#stop === undefined ? this.#finish('end') : '';
    return finish + (this.#includeUsage ? this.#usageFrame(usage) : '') + DONE;
  }

  #writeEvent(event: ReplyEvent): string {
    switch (event.kind) {
      case 'text':
        if (event.text === '') return '';
        this.#endThought();
        this.#text += event.text;
        return this.#frame(`"content":${JSON.stringify(event.text)}`);
      case 'thinking':
        if (event.text === '') return '';
        this.#thought = (this.#thought ?? '') + event.text;
        return this.#frame(`"reasoning_content":${JSON.stringify(event.text)}`);
      case 'thinking_signature':
        this.#thoughts.push({ kind: 'thinking', text: this.#thought ?? '', signature: event.signature });
        this.#thought = undefined;
        return '';
      case 'redacted_thinking':
        this.#endThought();
        this.#thoughts.push(event);
        return '';
      case 'tool_call':
        return this.#callStart(event, '');
      case 'tool_arguments':
        if (event.text === '') return '';
        this.#bareCalls.delete(event.call);
        return this.#arguments(event.call, event.text);
      case 'call_signature':
        return this.#callSignature(event);
      case 'web_search':
        return '';
      case 'citation':
        return this.#frame(`"annotations":[${JSON.stringify(writeCitation(this.#text, event.citation))}]`);
      case 'stop':
        return this.#stop === undefined ? this.#finish(event.stop) : '';
    }
  }

  #endThought(): void {
    if (this.#thought !== undefined) this.#thoughts.push({ kind: 'thinking', text: this.#thought });
    this.#thought = undefined;
  }

  #callStart({ call, id, name, signature }: ToolCallStart, args: string): string {
    this.#endThought();
    if (args === '') this.#bareCalls.add(call);
    this.#calls++;
    const called = { name, arguments: args };
    if (this.#calling === 'functions') return this.#functionCall(call, JSON.stringify(called));
    const start = {
      index: call,
      id,
      type: 'function',
      function: called,
      ...(signature && writeCallSignature(signature)),
    };
    return this.#frame(`"tool_calls":[${JSON.stringify(start)}]`);
  }

  #arguments(call: number, text: string): string {
    if (this.#calling === 'functions') return this.#functionCall(call, JSON.stringify({ arguments: text }));
    return this.#frame(`"tool_calls":[{"index":${call},"function":{"arguments":${JSON.stringify(text)}}}]`);
  }

  /** The legacy format has no field for it. */
  #callSignature({ call, signature }: CallSignature): string {
    if (this.#calling === 'functions') return '';
    const piece = { index: call, function: { arguments: '' }, ...writeCallSignature(signature) };
    return this.#frame(`"tool_calls":[${JSON.stringify(piece)}]`);
  }

  /** The legacy format has one call only. */
  #functionCall(call: number, json: string): string {
    return call === 0 ? this.#frame(`"function_call":${json}`) : '';
  }

  #finish(stop: StopReason): string {
    this.#stop = stop;
    this.#endThought();
    const details = writeThoughts(this.#thoughts);
    let frames = details ? this.#frame(`"reasoning_details":${JSON.stringify(details)}`) : '';
    // Clients parse the arguments even if there are none.
    for (const call of this.#bareCalls) frames += this.#arguments(call, '{}');
    if (stop === 'refusal' && this.#text === '' && this.#calls === 0) {
      frames += this.#frame(`"refusal":${JSON.stringify(REFUSAL_WITHOUT_TEXT)}`);
    }
    return frames + this.#frame('', writeFinishReason(stop, this.#calling));
  }

  /** @param members of the delta, without braces */
  #frame(members: string, finishReason?: string): string {
    let delta = members;
    if (!this.#begun) {
      this.#begun = true;
      const content = members.startsWith('"content"') ? '' : `,"content":${members === '' ? '""' : 'null'}`;
      delta = `"role":"assistant"${content}${members && `,${members}`}`;
    }
    const finish = finishReason === undefined ? 'null' : `"${finishReason}"`;
    return `${this.#head}{${delta}},"logprobs":null,"finish_reason":${finish}}]${this.#nullUsage}}\n\n`;
  }

  #usageFrame(usage: BilledUsage): string {
    const chunk = {
      ...writeIdentity(this.#identity, 'chat.completion.chunk'),
      choices: [],
      usage: writeUsage(usage),
    };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }
}
