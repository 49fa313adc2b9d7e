import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode } from '@gateway/errors';
import { SseSplitter } from '@gateway/upstream';
import type { TokenUsage } from '../domain/usage';
import { recordedMessages } from './bedrock/messages.fixture';

/** A provider adapter's folder, with recorded replies in its `__fixtures__`. */
export type Protocol = 'openai' | 'anthropic' | 'gemini' | 'cohere' | 'bedrock';

export const PROTOCOLS: readonly Protocol[] = ['openai', 'anthropic', 'gemini', 'cohere', 'bedrock'];

/** A content block as clients of Anthropic's format receive it. */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  /** Blocks that only pass through. */
  | { readonly type: 'server_tool_use' | 'web_search_tool_result' };

/** The finish reason in each format that clients use. */
export interface Finish {
  readonly openai: string;
  readonly anthropic: string;
}

export interface ExpectedReply {
  /** Names the test; a sentence that stands alone. */
  readonly title: string;
  /** Id in the registry, or a preset. */
  readonly provider: string;
  /** HTTP status of the recorded response; absent: 200. */
  readonly httpStatus?: number;
  /** What the client receives; absent: only an error. */
  readonly content?: readonly Block[];
  /** Absent: the reply does not end, or is an error. */
  readonly finish?: Finish;
  /** The usage that is charged; a figure that is absent is 0. Absent: the call is free. */
  readonly usage?: Partial<TokenUsage>;
  /** The gateway counted the usage, because the provider reported none. */
  readonly isCounted?: boolean;
  /** The status is 200 for an error that ends a stream. */
  readonly error?: {
    readonly code: ErrorCode;
    readonly status: number;
    readonly detail?: string;
    readonly retryAfterSeconds?: number;
  };
}

/** Expectations by the file name of their recording. */
export type ExpectedReplies = Readonly<Record<string, ExpectedReply>>;

export const text = (text: string): Block => ({ type: 'text', text });
/** A signature of a provider other than Anthropic is tagged; thinking that is not signed has a tag alone. */
export const thinking = (thinking: string, signature = 'gw1.openai.'): Block => ({
  type: 'thinking',
  thinking,
  signature,
});
export const toolUse = (id: string, name: string, input: object): Block => ({
  type: 'tool_use',
  id,
  name,
  input,
});

export const END: Finish = { openai: 'stop', anthropic: 'end_turn' };
export const LENGTH: Finish = { openai: 'length', anthropic: 'max_tokens' };
export const TOOL_CALLS: Finish = { openai: 'tool_calls', anthropic: 'tool_use' };
export const REFUSAL: Finish = { openai: 'content_filter', anthropic: 'refusal' };

const folderOf = (protocol: Protocol) => join(__dirname, protocol, '__fixtures__');

/** Returns the file names of an adapter's recordings. */
export const recordingsOf = (protocol: Protocol): string[] => readdirSync(folderOf(protocol)).sort();

/** Whether a recording is a stream. */
export const isStream = (file: string): boolean => !file.endsWith('.json');

/** Returns the body of a response as the provider sends it. */
export const recording = (protocol: Protocol, file: string): Buffer => {
  const recorded = readFileSync(join(folderOf(protocol), file));
  return file.endsWith('.jsonl') ? Buffer.concat(recordedMessages(recorded.toString())) : recorded;
};

/** Returns the events of a recorded stream as the provider frames them. */
export const recordedEvents = (protocol: Protocol, file: string): Buffer[] => {
  const recorded = readFileSync(join(folderOf(protocol), file));
  return file.endsWith('.jsonl') ? recordedMessages(recorded.toString()) : new SseSplitter().push(recorded);
};
