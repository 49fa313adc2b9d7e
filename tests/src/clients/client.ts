import type { z } from 'zod';

/** What a caller wants, before any client's words for it. */
export interface Question {
  readonly model: string;
  /** The user's message; the simulator's directive stands in it. */
  readonly prompt: string;
  readonly stream: boolean;
  readonly system?: string;
  /** A PNG as base64, shown with the prompt. */
  readonly image?: string;
  /** The client's way to ask for much of it; absent: it asks for none. */
  readonly thinking?: true;
  readonly maxTokens?: number;
  readonly temperature?: number;
}

/** What the client's user gets to see. */
export interface Answer {
  readonly text: string;
  /** Empty where there was none. */
  readonly thinking: string;
  /** In the client's own words: `Client.finish`. */
  readonly finish: string;
  readonly usage: SeenUsage;
}

/** Tokens; figures that the client has no place for (`Client.tells`) are absent. */
export interface SeenUsage {
  /** The whole prompt, cached or not. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** A tool that the client runs by itself. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  run(input: unknown): string;
}

/** What the client's user catches. */
export interface Failure {
  /** The name of its class. */
  readonly name: string;
  readonly status: number | undefined;
  readonly code: string | undefined;
}

export interface Refusal {
  readonly status: number;
  /** The gateway lets clients try again by themselves: no `x-should-retry: false`, and a status that may pass. */
  readonly mayRepeat: boolean;
  /** It came with `Retry-After`. */
  readonly saysWhen: boolean;
}

export interface Access {
  /** Of the gateway, without a path. */
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly maxRetries: number;
}

/** A client of some package, connected to the gateway as that package's documentation says. */
export interface Connection {
  ask(question: Question): Promise<Answer>;
  /** The reply in the shape of the schema, by the client's own way to structured output. */
  askObject(question: Question, schema: z.ZodObject): Promise<unknown>;
  /** The client's own loop, until the model calls no tool any more. */
  runTools(question: Question, tool: Tool): Promise<Answer>;
  /** Streams, and aborts once so many pieces of text have come. @returns the text that was seen */
  leave(question: Question, pieces: number): Promise<string>;
}

export interface Client {
  readonly name: string;
  /** How it names the ends of a reply. */
  readonly finish: { readonly stop: string; readonly length: string };
  /** Figures of usage that it shows. */
  readonly tells: readonly ('cacheRead' | 'cacheWrite' | 'reasoning')[];
  /** It has no place for what a model thought. */
  readonly hidesThinking?: true;
  /**
   * It takes the input from a stream's start, where it is an estimate unless the provider tells it there, and adds
   * the output of the start to that of the end, which has it in it.
   */
  readonly addsUsageOfStreams?: true;
  /** It puts a temperature into the format's range by itself. */
  readonly mendsTemperature?: true;
  /** Of a streamed object it parses the first piece, and fails. */
  readonly readsObjectsWhole?: true;
  /** What a provider signed and this client's loop does not send back: it has no place for it. */
  readonly loses?: readonly ('thoughts' | 'calls')[];
  connect(access: Access): Connection;
  readFailure(thrown: unknown): Failure;
  /** Whether it tries again by itself. Some clients heed `x-should-retry`, others know statuses only. */
  repeats(refusal: Refusal): boolean;
  /** The class that it throws for a status of the gateway; 200: a stream that broke. */
  readonly failures: Readonly<Record<200 | 400 | 401 | 402 | 404 | 429 | 502, string>>;
  /** The status that it makes up for a stream that broke. */
  readonly brokenStatus?: number;
}
