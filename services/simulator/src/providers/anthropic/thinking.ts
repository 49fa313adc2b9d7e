import type { ToolCall } from '../../domain/prompt';
import type { ReplyOptions } from '../../domain/reply';
import type { Json } from '../json';
import { invalid } from './error';
import { integerAt, objectAt, oneOfAt, onlyFields } from './fields';

const FIELDS = {
  enabled: new Set(['type', 'budget_tokens', 'display']),
  adaptive: new Set(['type', 'display']),
  disabled: new Set(['type']),
  between_tools: new Set(['type']),
} as const;

const MIN_BUDGET = 1024;

/** @throws ProviderError for an invalid configuration, or one that conflicts with other fields */
export function readThinking(body: Json, forced: ToolCall | null): ReplyOptions['thinking'] {
  if (body.thinking === undefined) return 'shown';
  const config = objectAt(body.thinking, 'thinking');
  const type = oneOfAt(config.type, ['enabled', 'adaptive', 'disabled', 'between_tools'], 'thinking.type');
  onlyFields(config, FIELDS[type], `thinking.${type}`);
  if (type === 'disabled') return 'off';
  if (type === 'enabled') readBudget(config, body.max_tokens);
  if (forced !== null) throw invalid('Thinking may not be enabled when tool_choice forces tool use.');
  if (type !== 'between_tools') checkSampling(body);
  if (config.display == null) return 'shown';
  return oneOfAt(config.display, ['summarized', 'omitted'], `thinking.${type}.display`) === 'omitted'
    ? 'hidden'
    : 'shown';
}

function readBudget(config: Json, maxTokens: unknown): void {
  const budget = integerAt(config.budget_tokens, 'thinking.enabled.budget_tokens', MIN_BUDGET);
  if (maxTokens !== undefined && budget >= (maxTokens as number)) {
    throw invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
}

function checkSampling({ temperature, top_k, top_p }: Json): void {
  if (temperature !== undefined && temperature !== 1) {
    throw invalid('`temperature` may only be set to 1 when thinking is enabled.');
  }
  if (top_k !== undefined) throw invalid('`top_k` must be unset when thinking is enabled.');
  if (top_p !== undefined && (top_p as number) < 0.95) {
    throw invalid('`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.');
  }
}
