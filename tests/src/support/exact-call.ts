/** Bytes of such a call's body; each is held as one token of the dearest input. */
const BODY_BYTES = 400;
/** The model's floor: its hold is whole or none. */
const MAX_TOKENS = 16;
const INPUT_BOUND_NANO = 1_250n;
const INPUT_NANO = 1_000n;
const OUTPUT_NANO = 4_000n;

/** What `sim/chat` holds for such a call. */
export const EXACT_HOLD_NANO = BigInt(BODY_BYTES) * INPUT_BOUND_NANO + BigInt(MAX_TOKENS) * OUTPUT_NANO;
/** What such a call takes of its key's tokens per minute. */
export const EXACT_TOKENS = BODY_BYTES + MAX_TOKENS;

/** Uses as many tokens as are reserved for it, and costs less than is held. */
export const exactTokensBody = bodyUsing(BODY_BYTES);
/** Costs to the nano what is held for it, so that whatever is admitted is spent. */
export const exactCostBody = bodyUsing(Number((BigInt(BODY_BYTES) * INPUT_BOUND_NANO) / INPUT_NANO));

function bodyUsing(promptTokens: number): string {
  const usage = { prompt_tokens: promptTokens, completion_tokens: MAX_TOKENS };
  const body = (padding: string) =>
    JSON.stringify({
      model: 'sim/chat',
      max_tokens: MAX_TOKENS,
      messages: [{ role: 'user', content: `[[sim ${JSON.stringify({ usage })}]]${padding}` }],
    });
  return body('.'.repeat(BODY_BYTES - body('').length));
}
