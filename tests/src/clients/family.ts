/** A catalog model of each provider family and kind. */
export interface Family {
  readonly model: string;
  readonly sees: boolean;
  /** OpenAI bills reasoning without showing it. Calls of reasoning models continue when their client disconnects. */
  readonly thinks: 'shown' | 'hidden' | 'never';
  /** Signed content that it requires back unchanged. */
  readonly signs?: 'thoughts' | 'calls';
}

export const FAMILIES: readonly Family[] = [
  { model: 'openai/gpt-5.5', sees: true, thinks: 'hidden' },
  { model: 'anthropic/claude-opus-4-8', sees: true, thinks: 'shown', signs: 'thoughts' },
  { model: 'google/gemini-3.5-flash', sees: true, thinks: 'shown', signs: 'calls' },
  { model: 'deepseek/deepseek-v4-pro', sees: false, thinks: 'shown' },
  { model: 'openai/gpt-4.1', sees: true, thinks: 'never' },
];

/** Returns the simulator's directive for thinking in the way of that family. */
export function thought({ thinks }: Family, thinking: string): object {
  if (thinks === 'never') return {};
  return { thinking, ...(thinks === 'hidden' && { hide_thinking: true }) };
}
