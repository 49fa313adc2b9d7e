/** A model of each family of providers, and of each kind of it, as the catalog has it. */
export interface Family {
  readonly model: string;
  readonly sees: boolean;
  /** OpenAI bills thoughts and shows none. Calls of whatever thinks are heard out when their caller leaves. */
  readonly thinks: 'shown' | 'hidden' | 'never';
  /** What it wants back as it said it. */
  readonly signs?: 'thoughts' | 'calls';
}

export const FAMILIES: readonly Family[] = [
  { model: 'openai/gpt-5.5', sees: true, thinks: 'hidden' },
  { model: 'anthropic/claude-opus-4-8', sees: true, thinks: 'shown', signs: 'thoughts' },
  { model: 'google/gemini-3.5-flash', sees: true, thinks: 'shown', signs: 'calls' },
  { model: 'deepseek/deepseek-v4-pro', sees: false, thinks: 'shown' },
  { model: 'openai/gpt-4.1', sees: true, thinks: 'never' },
];

/** What the simulator is told, so that the model thinks as that family does. */
export function thought({ thinks }: Family, thinking: string): object {
  if (thinks === 'never') return {};
  return { thinking, ...(thinks === 'hidden' && { hide_thinking: true }) };
}
