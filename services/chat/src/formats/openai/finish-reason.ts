import type { StopReason } from '../../domain/reply';

/** How calls are reported: callers that declare `functions`, the older field, read `function_call`. */
export type Calling = 'tools' | 'functions';

/** A turn that its provider paused is incomplete: of this format's reasons only `length` says so. */
const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  end: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  context_full: 'length',
  pause: 'length',
  tool_calls: 'tool_calls',
  refusal: 'content_filter',
};

export function finishReason(stop: StopReason, calling: Calling): string {
  return stop === 'tool_calls' && calling === 'functions' ? 'function_call' : FINISH_REASONS[stop];
}

/** For clients that show `refusal` and send it back: their turn without any text would be refused. */
export const REFUSAL_WITHOUT_TEXT = 'The model declined to answer.';
