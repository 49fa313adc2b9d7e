import type { z } from 'zod';

/** A request, independent of the client's API. */
export interface Question {
  readonly model: string;
  /** The user's message, which contains the simulator's directive. */
  readonly prompt: string;
  readonly stream: boolean;
  readonly system?: string;
  /** A PNG as base64, shown with the prompt. */
  readonly image?: string;
  /** Requests a high thinking effort in the client's way; no thinking if absent. */
  readonly thinking?: true;
  readonly maxTokens?: number;
  readonly temperature?: number;
}

/** A reply as the client's user sees it. */
export interface Answer {
  readonly text: string;
  /** Empty if there was none. */
  readonly thinking: string;
  /** The client's own finish reason: `Client.finish`. */
  readonly finish: string;
  readonly usage: SeenUsage;
}

/** Tokens; figures that the client does not report (`Client.reports`) are absent. */
export interface SeenUsage {
  /** The whole prompt, including cached tokens. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** A tool that the client runs itself. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  run(input: unknown): string;
}

/** An error as the client's user catches it. */
export interface Failure {
  /** The name of its class. */
  readonly name: string;
  readonly status: number | undefined;
  readonly code: string | undefined;
}

export interface Refusal {
  readonly status: number;
  /** The gateway allows a retry: no `x-should-retry: false`, and a transient status. */
  readonly mayRetry: boolean;
  /** The response has `Retry-After`. */
  readonly hasRetryAfter: boolean;
}

export interface Access {
  /** URL of the gateway, without a path. */
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly maxRetries: number;
}

/** A client of a package, connected to the gateway as the package's documentation shows. */
export interface Connection {
  ask(question: Question): Promise<Answer>;
  /** Returns an object of the schema by the client's structured output. */
  askObject(question: Question, schema: z.ZodObject): Promise<unknown>;
  /** Runs the client's own tool loop until the model calls no more tools. */
  runTools(question: Question, tool: Tool): Promise<Answer>;
  /** Streams, and aborts after that many pieces of text. @returns the text received */
  leave(question: Question, pieces: number): Promise<string>;
}

export interface Client {
  readonly name: string;
  /** Its finish reasons. */
  readonly finish: { readonly stop: string; readonly length: string };
  /** Usage figures that it reports. */
  readonly reports: readonly ('cacheRead' | 'cacheWrite' | 'reasoning')[];
  /** The client does not expose thinking. */
  readonly hidesThinking?: true;
  /**
   * The client reads a stream's input tokens from its start, where they may be estimated, and adds the output of the
   * start to that of the end, which includes it.
   */
  readonly addsUsageOfStreams?: true;
  /** The client clamps the temperature to the format's range, or does not send it. */
  readonly clampsTemperature?: true;
  /** The client parses the first chunk of a streamed object and fails. */
  readonly readsObjectsWhole?: true;
  /** Signed content that this client's loop does not send back. */
  readonly drops?: readonly ('thoughts' | 'calls')[];
  connect(access: Access): Connection;
  readFailure(thrown: unknown): Failure;
  /** Returns whether the client retries. Some clients read `x-should-retry`, others only the status. */
  retries(refusal: Refusal): boolean;
  /** The client ignores events that report a failure, and returns what came before them as the reply. */
  readonly ignoresBrokenStreams?: true;
  /** The error class for each status of the gateway; 200 is a stream that failed. */
  readonly failures: Readonly<Record<200 | 400 | 401 | 402 | 404 | 429 | 502, string>>;
  /** The status of its error for a stream that failed. */
  readonly brokenStatus?: number;
}
