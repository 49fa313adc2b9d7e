/** Bytes of such a call's body; each is held as one token of the dearest input. */
const BODY_BYTES = 400;
/** The model's floor: its hold is whole or none. */
const MAX_TOKENS = 16;
const INPUT_BOUND_NANO = 1_250n;
const INPUT_NANO = 1_000n;
const OUTPUT_NANO = 4_000n;

/** What `sim/chat` holds for such a call. */
export const EXACT_HOLD_NANO = BigInt(BODY_BYTES) * INPUT_BOUND_NANO + BigInt(MAX_TOKENS) * OUTPUT_NANO;
/** Uses as many tokens as are reserved for it: those of its prompt, by `o200k_base`, and its maximum. Costs less than is held. */
export const exactTokensBody = bodyUsing({ completion_tokens: MAX_TOKENS });
const EXACT_PROMPT_TOKENS = 24;
/** What such a call takes of its key's tokens per minute. */
export const EXACT_TOKENS = EXACT_PROMPT_TOKENS + MAX_TOKENS;
/** Costs to the nano what is held for it, so that whatever is admitted is spent. */
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
