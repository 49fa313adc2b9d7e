/** The value of `include` that asks for encrypted reasoning. */
export const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

/** Returns the id by which callers know the response of a call. */
export const responseId = (requestId: string): string => `resp_${requestId}`;

/** Returns a tool with the members of a function that OpenAI always returns. */
export function withDefaults(tool: unknown): unknown {
  if ((tool as { type?: unknown }).type !== 'function') return tool;
  return { parameters: null, strict: null, ...(tool as object) };
}
