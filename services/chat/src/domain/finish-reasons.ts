import type { StopReason } from './reply';

/**
 * Returns why a reply stopped, in agreement with what it contains: some providers report an end, a stop sequence or a reason of
 * their own after tool calls, and tool calls where there are none. A reply that was cut stays so: its last call may be incomplete.
 * @param reported undefined for no reason, or one that is not known
 * @param calls number of its tool calls
 */
export function agreedStop(reported: StopReason | undefined, calls: number): StopReason {
  if (reported !== undefined && !ENDS.has(reported)) return reported;
  if (calls > 0) return 'tool_calls';
  return reported === 'stop_sequence' ? reported : 'end';
}

/** Reasons of a reply that its model ended by itself. */
const ENDS: ReadonlySet<StopReason> = new Set(['end', 'stop_sequence', 'tool_calls']);

/** How calls are reported in OpenAI's format: callers that declare `functions`, the older field, read `function_call`. */
export type Calling = 'tools' | 'functions';

/** A turn that its provider paused is incomplete: of OpenAI's words only `length` says so. */
const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  end: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  context_full: 'length',
  pause: 'length',
  tool_calls: 'tool_calls',
  refusal: 'content_filter',
};

/** Returns OpenAI's word. */
export const writeFinishReason = (stop: StopReason, calling: Calling): string =>
  stop === 'tool_calls' && calling === 'functions' ? 'function_call' : FINISH_REASONS[stop];

/** Anthropic's words; the list is that of @anthropic-ai/sdk 1.10. */
export const STOP_REASONS: Readonly<Record<StopReason, string>> = {
  end: 'end_turn',
  length: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_calls: 'tool_use',
  refusal: 'refusal',
  context_full: 'model_context_window_exceeded',
  pause: 'pause_turn',
};
