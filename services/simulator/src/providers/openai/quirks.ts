/** How providers of OpenAI's format differ from it. */
export interface Quirks {
  /** Every stream reports its usage, and `stream_options` is refused. */
  readonly alwaysReportsUsage: boolean;
  /** Reasoning tokens are not included in `completion_tokens`. */
  readonly separateReasoning: boolean;
  /**
   * Mistral's format: thinking as a part of the content, tool calls without `type` and `index`, `num_cached_tokens`; an
   * assistant message that has `reasoning_content`, or is empty, is refused.
   */
  readonly mistralFormat: boolean;
}

export const OPENAI_QUIRKS: Quirks = {
  alwaysReportsUsage: false,
  separateReasoning: false,
  mistralFormat: false,
};

/**
 * Mistral reports the usage of every stream and refuses `stream_options` (openai-agents-python#442), and returns thinking as
 * parts of the content (docs.mistral.ai, "Reasoning"); xAI does not include reasoning in the completion (docs.x.ai,
 * "Reasoning").
 */
export const COMPATIBLE_PROVIDERS: Readonly<Record<string, Quirks>> = {
  mistral: { alwaysReportsUsage: true, separateReasoning: false, mistralFormat: true },
  xai: { alwaysReportsUsage: false, separateReasoning: true, mistralFormat: false },
};
