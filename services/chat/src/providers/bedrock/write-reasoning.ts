import type { Effort, Reasoning } from '../../domain/conversation';
import { effortOf } from '../../domain/effort';
import { type ThinkingCall, thinkingRules, writeThinking } from '../anthropic/write-thinking';
import type { ModelFamily } from './model-family';

export interface WrittenReasoning {
  /** Members of `additionalModelRequestFields`. */
  readonly fields: object;
  /** Claude thinks before its reply. */
  readonly thinks: boolean;
}

const NONE: WrittenReasoning = { fields: {}, thinks: false };

/** With effort `high` Nova refuses a maximum output, without which a call has no bound. */
const NOVA_EFFORT: Readonly<Record<Exclude<Effort, 'none'>, 'low' | 'medium'>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'medium',
  xhigh: 'medium',
  max: 'medium',
};

/**
 * Writes how much to think, in the parameters of the model's vendor: Claude's by its own rules, the others by the efforts of the
 * catalog (Nova 2 User Guide, "Using reasoning"; Bedrock User Guide, OpenAI's models; for GPT opencode#48195).
 */
export function writeReasoning(
  reasoning: Reasoning | undefined,
  family: ModelFamily,
  capabilities: ReadonlySet<string>,
  call: ThinkingCall,
): WrittenReasoning {
  if (family === 'claude') {
    const { thinking, effort } = writeThinking(reasoning, thinkingRules(capabilities), call);
    const thinks = thinking !== undefined && thinking.type !== 'disabled';
    return {
      fields: { ...(thinking && { thinking }), ...(effort && { output_config: { effort } }) },
      thinks,
    };
  }
  const effort = effortOf(reasoning, capabilities);
  if (effort === undefined) return NONE;
  return { fields: effortFields(family, effort), thinks: false };
}

function effortFields(family: ModelFamily, effort: Effort): object {
  switch (family) {
    case 'nova':
      return {
        reasoningConfig:
          effort === 'none'
            ? { type: 'disabled' }
            : { type: 'enabled', maxReasoningEffort: NOVA_EFFORT[effort] },
      };
    case 'gpt':
      return { reasoning: { effort } };
    case 'gpt-oss':
      return { reasoning_effort: effort };
    default:
      return {};
  }
}
