import type { UsageMode } from './usage';

/** How a provider wants to be told the most output per choice. */
export type MaxTokensField = 'max_tokens' | 'max_completion_tokens';

/** A provider account that speaks OpenAI's chat format. */
export interface Provider {
  readonly id: string;
  /** The endpoint itself. */
  readonly chatUrl: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly usage: UsageMode;
  /** Its models count text by `o200k_base`, so that the gateway can count a request too. */
  readonly countsByO200k: boolean;
  /** How it is told the most output. */
  readonly maxTokensField: MaxTokensField;
}
