import type { Effort, Reasoning } from './conversation';

/** The value of each field, as the format's schema has validated it. */
export interface ExtensionValues {
  readonly chat_template_kwargs?: object | null | undefined;
  readonly enable_thinking?: boolean | null | undefined;
  readonly min_p?: number | null | undefined;
  readonly prompt_mode?: string | null | undefined;
  readonly random_seed?: number | null | undefined;
  readonly reasoning?: ReasoningField | null | undefined;
  readonly repetition_penalty?: number | null | undefined;
  readonly safe_prompt?: boolean | null | undefined;
  readonly thinking?: ThinkingField | null | undefined;
  readonly top_k?: number | null | undefined;
}

/** Fields of OpenRouter and of OpenAI's Responses API. */
interface ReasoningField {
  readonly effort?: string | null | undefined;
  readonly max_tokens?: number | null | undefined;
  readonly enabled?: boolean | null | undefined;
}

/** Fields of Anthropic, DeepSeek and Z.AI. */
interface ThinkingField {
  readonly type: string;
  readonly budget_tokens?: number | null | undefined;
}

export type ExtensionField = keyof ExtensionValues;

/**
 * Top-level fields beyond OpenAI's own that providers of its format document. A provider that has the field receives it
 * unchanged; for others it is translated, or refused by name, because the caller would miss its effect.
 */
export const EXTENSION_FIELDS: readonly ExtensionField[] = [
  'chat_template_kwargs',
  'enable_thinking',
  'min_p',
  'prompt_mode',
  'random_seed',
  'reasoning',
  'repetition_penalty',
  'safe_prompt',
  'thinking',
  'top_k',
];

/** Fields that set the reasoning effort, which every format can represent. */
export const REASONING_FIELDS: ReadonlySet<ExtensionField> = new Set([
  'enable_thinking',
  'reasoning',
  'thinking',
]);

/** Values that have no effect. */
const NEUTRAL: Partial<Record<ExtensionField, (value: never) => boolean>> = {
  chat_template_kwargs: (value: object) => Object.keys(value).length === 0,
  min_p: (value: number) => value === 0,
  repetition_penalty: (value: number) => value === 1,
  safe_prompt: (value: boolean) => !value,
  // Disabled, in vLLM's notation (-1) and in that of others (0).
  top_k: (value: number) => value <= 0,
};

/** Returns whether the field is present and has an effect. */
export function isRequested(body: ExtensionValues, field: ExtensionField): boolean {
  const value = body[field];
  return value != null && !NEUTRAL[field]?.(value as never);
}

/** Returns the requested effort from whichever field has it; `reasoning_effort` takes precedence. */
export function reasoningOf(
  body: ExtensionValues & { readonly reasoning_effort?: Effort | null | undefined },
): Reasoning | undefined {
  const { thinking, reasoning, enable_thinking: enabled } = body;
  const isOff = thinking?.type === 'disabled' || reasoning?.enabled === false || enabled === false;
  if (body.reasoning_effort == null && isOff) return { effort: 'none' };
  const effort = body.reasoning_effort ?? (reasoning?.effort as Effort | null | undefined) ?? undefined;
  const budgetTokens = thinking?.budget_tokens ?? reasoning?.max_tokens ?? undefined;
  if (effort !== undefined || budgetTokens !== undefined) {
    return { ...(effort !== undefined && { effort }), ...(budgetTokens !== undefined && { budgetTokens }) };
  }
  return thinking || reasoning?.enabled || enabled ? { adaptive: true } : undefined;
}
