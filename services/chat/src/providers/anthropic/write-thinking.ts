import type { Effort, Reasoning, Sampling } from '../../domain/conversation';
import type { MessagesBody, WireEffort, WireMessage, WireThinking } from './messages-body';
import { openTurnThinks } from './write-messages';

/**
 * What a model accepts, by the catalog's capabilities. The generations differ, and the API refuses what a model does not
 * support (platform.claude.com, thinking; effort; migration guides of 4.6, 4.7 and 5):
 *
 * | capability          | models        |                                                              |
 * | ------------------- | ------------- | ------------------------------------------------------------ |
 * | `thinking_budget`   | 4.6 and older | `enabled` with `budget_tokens`                               |
 * | `adaptive_thinking` | 4.6 and newer | `adaptive`, `output_config.effort`; no assistant prefill       |
 * | adaptive alone      | 4.7 and newer | also effort `xhigh`; no temperature, `top_p`, `top_k` at all |
 * | `thinking_always`   | Fable 5, …    | also no `disabled`                                           |
 */
export interface ThinkingRules {
  readonly budget: boolean;
  readonly adaptive: boolean;
  readonly always: boolean;
}

export interface WrittenThinking {
  readonly thinking?: WireThinking;
  readonly effort?: WireEffort;
}

/** The API's minimum budget. */
const MIN_BUDGET_TOKENS = 1_024;
/** Part of the maximum that is reserved for the answer. */
const ANSWER_TOKENS = 1_024;
/** A larger budget helps little (platform.claude.com, extended thinking). */
const MOST_TOKENS = 32_768;
const EFFORT_TOKENS: Readonly<Record<WireEffort, number>> = {
  low: 4_096,
  medium: 16_384,
  high: MOST_TOKENS,
  xhigh: MOST_TOKENS,
  max: MOST_TOKENS,
};

export function thinkingRules(capabilities: ReadonlySet<string>): ThinkingRules {
  return {
    budget: capabilities.has('thinking_budget'),
    adaptive: capabilities.has('adaptive_thinking'),
    always: capabilities.has('thinking_always'),
  };
}

/** The parts of the call that thinking depends on. */
export interface ThinkingCall {
  readonly maxOutputTokens: number;
  readonly forcesTool: boolean;
  readonly messages: readonly WireMessage[];
}

/** Thinking settings are hints: what the model lacks, or other settings of the call exclude, is omitted. */
export function writeThinking(
  reasoning: Reasoning | undefined,
  rules: ThinkingRules,
  call: ThinkingCall,
): WrittenThinking {
  if (!reasoning) return goOnThinking(rules, call);
  const { effort, budgetTokens } = reasoning;
  if (effort === 'none' || effort === 'minimal') return withoutThinking(rules, call.forcesTool);
  if (rules.adaptive && (budgetTokens === undefined || !rules.budget)) {
    const written = adaptiveEffort(reasoning, rules);
    // Thinking is not allowed with a forced tool call.
    return call.forcesTool ? written : { thinking: adaptive(rules), ...written };
  }
  // With a budget the assistant's unfinished turn must have begun with thinking, which callers of other formats often do not
  // send back.
  if (!rules.budget || call.forcesTool || openTurnThinks(call.messages) === false) return {};
  const wanted = budgetTokens ?? EFFORT_TOKENS[effort ?? 'medium'];
  const budget = Math.min(wanted, call.maxOutputTokens - ANSWER_TOKENS);
  return budget < MIN_BUDGET_TOKENS ? {} : { thinking: { type: 'enabled', budget_tokens: budget } };
}

/** A turn has one mode: a round of tool calls that began with thinking continues with thinking. */
function goOnThinking(rules: ThinkingRules, { forcesTool, messages }: ThinkingCall): WrittenThinking {
  return rules.adaptive && !forcesTool && openTurnThinks(messages) ? { thinking: adaptive(rules) } : {};
}

/** Newer models return their thinking only on request. */
function adaptive(rules: ThinkingRules): WireThinking {
  return { type: 'adaptive', ...(!rules.budget && { display: 'summarized' }) };
}

/** Models with adaptive thinking may think unasked; where that can't be disabled, their effort is set to low. */
function withoutThinking(rules: ThinkingRules, forced: boolean): WrittenThinking {
  if (!rules.adaptive) return {};
  if (rules.always) return { effort: 'low' };
  // With a forced tool call they do not think, and disabling thinking makes them worse.
  return forced ? {} : { thinking: { type: 'disabled' } };
}

function adaptiveEffort({ effort, budgetTokens }: Reasoning, rules: ThinkingRules): { effort?: WireEffort } {
  if (effort !== undefined)
    return { effort: effort === 'xhigh' && rules.budget ? 'high' : wireEffort(effort) };
  if (budgetTokens === undefined) return {};
  if (budgetTokens <= EFFORT_TOKENS.low) return { effort: 'low' };
  return { effort: budgetTokens <= EFFORT_TOKENS.medium ? 'medium' : 'high' };
}

function wireEffort(effort: Effort): WireEffort {
  return effort === 'none' || effort === 'minimal' ? 'low' : effort;
}

type WireSampling = Pick<MessagesBody, 'temperature' | 'top_p' | 'top_k'>;

/** The minimum `top_p` with thinking (platform.claude.com, extended thinking). */
const MIN_THINKING_TOP_P = 0.95;

/**
 * Sampling settings are hints too. A temperature above 1, which only other formats have, becomes 1: up to there the scales
 * agree. Newer models refuse it together with `top_p`; the more specific setting is kept.
 */
export function writeSampling(
  sampling: Pick<Sampling, 'temperature' | 'topP' | 'topK'>,
  rules: ThinkingRules,
  thinks: boolean,
): WireSampling {
  const { temperature, topP, topK } = sampling;
  if (rules.adaptive && !rules.budget) return {};
  if (thinks) return topP !== undefined && topP >= MIN_THINKING_TOP_P ? { top_p: topP } : {};
  const warm = temperature === undefined ? undefined : Math.min(1, temperature);
  const topPAlone = topP !== undefined && (warm === undefined || warm === 1);
  return {
    ...(warm !== undefined && !topPAlone && { temperature: warm }),
    ...(topPAlone && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}
