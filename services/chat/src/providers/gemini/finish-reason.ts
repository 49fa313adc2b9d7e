import { agreedStop } from '../../domain/finish-reasons';
import type { StopReason } from '../../domain/reply';

/**
 * All values of `FinishReason` that end a reply (@google/genai 3.1, `genai.d.ts`, and `MISSING_THOUGHT_SIGNATURE` of the API
 * reference). `STOP` is also reported for function calls.
 */
const STOPS: Readonly<Record<string, StopReason>> = {
  STOP: 'end',
  MAX_TOKENS: 'length',
  // Continuing requires a token for which no caller's format has a field.
  CONTINUATION: 'length',
  SAFETY: 'refusal',
  RECITATION: 'refusal',
  LANGUAGE: 'refusal',
  BLOCKLIST: 'refusal',
  PROHIBITED_CONTENT: 'refusal',
  SPII: 'refusal',
  MODEL_ARMOR: 'refusal',
  IMAGE_SAFETY: 'refusal',
  IMAGE_PROHIBITED_CONTENT: 'refusal',
  IMAGE_RECITATION: 'refusal',
};

/** Without a known cause. */
const UNSPECIFIED: ReadonlySet<string> = new Set(['FINISH_REASON_UNSPECIFIED', 'OTHER']);
/** Failures of the model rather than the caller: a retry may succeed. */
const FAILURES: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
  'NO_IMAGE',
  'IMAGE_OTHER',
]);

/**
 * Returns why the model stopped. A reason of unknown meaning is an end if the reply says something.
 * @throws Error when the reply failed
 */
export function readFinishReason(reason: string, calls: number, saysSomething: boolean): StopReason {
  const stop = Object.hasOwn(STOPS, reason) ? STOPS[reason] : undefined;
  if (stop === undefined && (FAILURES.has(reason) || !saysSomething)) {
    throw new Error(
      `finished by ${FAILURES.has(reason) || UNSPECIFIED.has(reason) ? reason : 'a reason not known'}`,
    );
  }
  return agreedStop(stop, calls);
}
