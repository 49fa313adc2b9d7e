import { toEnvelope } from '@gateway/errors';
import { nanoFromUsd } from '@gateway/money';
import type { CallEnd } from '../../calls/rules/call-end';
import type { BatchFormat, CallUsage } from './batch';

/** Why a call of a batch was never sent. */
export type Unsent = 'expired' | 'cancelled';

export interface CallResult {
  readonly succeeded: boolean;
  /** A line of the output, with its newline. */
  readonly line: Buffer;
  readonly usage: CallUsage;
}

const NO_USAGE: CallUsage = {
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  costNano: 0n,
};

/** Returns the result of a call as the format's API has it. */
export function callResult(format: BatchFormat, customId: string, end: CallEnd): CallResult {
  const { requestId } = end;
  if ('error' in end) {
    const { error } = toEnvelope(end.error);
    const line =
      format === 'openai'
        ? openaiLine(requestId, customId, {
            response: { status_code: end.error.row.status, request_id: requestId, body: { error } },
          })
        : anthropicLine(customId, {
            type: 'errored',
            error: { type: 'error', error, request_id: requestId },
          });
    return { succeeded: false, line, usage: { ...NO_USAGE, costNano: end.chargedNano } };
  }
  const { body, headers } = end.reply;
  const reply = body.toString();
  const line =
    format === 'openai'
      ? withReply(requestId, customId, reply)
      : Buffer.from(
          `{"custom_id":${JSON.stringify(customId)},"result":{"type":"succeeded","message":${reply}}}\n`,
        );
  return { succeeded: true, line, usage: usageOf(reply, headers['x-gateway-cost']) };
}

/** Returns the line of a call that was never sent; undefined if the format leaves it out. */
export function unsentLine(
  format: BatchFormat,
  customId: string,
  batchId: string,
  line: number,
  reason: Unsent,
): Buffer | undefined {
  if (format === 'anthropic')
    return anthropicLine(customId, { type: reason === 'cancelled' ? 'canceled' : 'expired' });
  if (reason === 'cancelled') return undefined;
  const error = { code: 'batch_expired', message: 'The batch expired before this request was sent.' };
  return openaiLine(`${batchId}-${line}`, customId, { error });
}

const openaiLine = (
  id: string,
  customId: string,
  { response = null, error = null }: { response?: object | null; error?: object | null },
): Buffer =>
  Buffer.from(`${JSON.stringify({ id: `batch_req_${id}`, custom_id: customId, response, error })}\n`);

const anthropicLine = (customId: string, result: object): Buffer =>
  Buffer.from(`${JSON.stringify({ custom_id: customId, result })}\n`);

/** The reply is copied as it is. */
const withReply = (requestId: string, customId: string, reply: string): Buffer =>
  Buffer.from(
    `{"id":"batch_req_${requestId}","custom_id":${JSON.stringify(customId)},"response":{"status_code":200,` +
      `"request_id":"${requestId}","body":${reply}},"error":null}\n`,
  );

interface ReplyUsage {
  readonly prompt_tokens?: unknown;
  readonly input_tokens?: unknown;
  readonly completion_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
  readonly prompt_tokens_details?: { readonly cached_tokens?: unknown } | null;
  readonly input_tokens_details?: { readonly cached_tokens?: unknown } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: unknown } | null;
  readonly output_tokens_details?: { readonly reasoning_tokens?: unknown } | null;
}

/** The reply is of any of the endpoints' formats; Anthropic's input tokens don't contain the cached ones. */
function usageOf(reply: string, cost: string | undefined): CallUsage {
  const { usage } = JSON.parse(reply) as { usage?: ReplyUsage | null };
  const read = count(usage?.cache_read_input_tokens);
  return {
    inputTokens:
      count(usage?.input_tokens ?? usage?.prompt_tokens) + read + count(usage?.cache_creation_input_tokens),
    cachedTokens: read + count((usage?.input_tokens_details ?? usage?.prompt_tokens_details)?.cached_tokens),
    outputTokens: count(usage?.output_tokens ?? usage?.completion_tokens),
    reasoningTokens: count(
      (usage?.output_tokens_details ?? usage?.completion_tokens_details)?.reasoning_tokens,
    ),
    costNano: nanoFromUsd(Number(cost ?? 0)) ?? 0n,
  };
}

const count = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : 0);
