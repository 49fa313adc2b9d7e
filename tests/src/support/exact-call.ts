/** Bytes of the call's body; each is reserved as one token at the highest input price. */
const BODY_BYTES = 400;
/** The model's minimum output, so the call is never lowered. */
const MAX_TOKENS = 16;
const INPUT_BOUND_NANO = 1_250n;
const INPUT_NANO = 1_000n;
const OUTPUT_NANO = 4_000n;

/** Hold of `sim/chat` for the call. */
export const EXACT_HOLD_NANO = BigInt(BODY_BYTES) * INPUT_BOUND_NANO + BigInt(MAX_TOKENS) * OUTPUT_NANO;
/** Uses exactly the reserved tokens: its prompt by `o200k_base` and its maximum output. Costs less than its hold. */
export const exactTokensBody = bodyUsing({ completion_tokens: MAX_TOKENS });
const EXACT_PROMPT_TOKENS = 24;
/** Tokens that the call uses of the TPM limit. */
export const EXACT_TOKENS = EXACT_PROMPT_TOKENS + MAX_TOKENS;
/** Costs exactly its hold, so that every admitted call spends all of it. */
export const exactCostBody = bodyUsing({
  prompt_tokens: Number((BigInt(BODY_BYTES) * INPUT_BOUND_NANO) / INPUT_NANO),
  completion_tokens: MAX_TOKENS,
});

function bodyUsing(usage: object): string {
  const body = (padding: string) =>
    JSON.stringify({
      model: 'sim/chat',
      max_tokens: MAX_TOKENS,
      messages: [{ role: 'user', content: `[[sim ${JSON.stringify({ usage })}]]${padding}` }],
    });
  return body('.'.repeat(BODY_BYTES - body('').length));
}
