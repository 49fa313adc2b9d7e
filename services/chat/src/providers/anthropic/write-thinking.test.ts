import { describe, expect, test } from '@jest/globals';
import type { Effort, Reasoning } from '../../domain/conversation';
import type { Block, WireMessage } from './messages-body';
import { thinkingRules, writeSampling, writeThinking } from './write-thinking';

const rules = (...capabilities: string[]) => thinkingRules(new Set(capabilities));
/** Haiku and Sonnet 4.5; Sonnet and Opus 4.6; Opus 4.7 and later; Fable 5. */
const BUDGET = rules('thinking_budget');
const BOTH = rules('thinking_budget', 'adaptive_thinking');
const ADAPTIVE = rules('adaptive_thinking');
const ALWAYS = rules('adaptive_thinking', 'thinking_always');
const NEITHER = rules('tools');

const asked: WireMessage = { role: 'user', content: [{ type: 'text', text: 'q' }] };
const call = { maxOutputTokens: 64_000, forcesTool: false, messages: [asked] };
const shown = { type: 'adaptive', display: 'summarized' };
const thought: Block = { type: 'thinking', thinking: 'hm', signature: 'EqQB' };
/** A round of tools that began with these blocks. */
const round = (...blocks: Block[]): WireMessage[] => [
  { role: 'assistant', content: [...blocks, { type: 'tool_use', id: 'a', name: 'f', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
];
const enabled = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });

describe('thinking with a budget', () => {
  test.each<[Reasoning, object]>([
    [{ effort: 'low' }, enabled(4_096)],
    [{ effort: 'medium' }, enabled(16_384)],
    [{ effort: 'high' }, enabled(32_768)],
    [{ effort: 'max' }, enabled(32_768)],
    [{ adaptive: true }, enabled(16_384)],
    [{ budgetTokens: 2_000 }, enabled(2_000)],
    [{ budgetTokens: 1_000 }, {}],
    [{ effort: 'none' }, {}],
  ])('%j', (reasoning, expected) => expect(writeThinking(reasoning, BUDGET, call)).toEqual(expected));

  test('leaves room for the answer, or is disabled', () => {
    const within = (maxOutputTokens: number) =>
      writeThinking({ effort: 'high' }, BUDGET, { ...call, maxOutputTokens });
    expect(within(4_096)).toEqual(enabled(3_072));
    expect(within(2_048)).toEqual(enabled(1_024));
    expect(within(2_047)).toEqual({});
  });

  test('is disabled by a forced tool choice', () =>
    expect(writeThinking({ effort: 'high' }, BUDGET, { ...call, forcesTool: true })).toEqual({}));

  test('is disabled after a tool call turn without its thinking, and with a prefill', () => {
    const thinks = (...messages: WireMessage[]) =>
      'thinking' in writeThinking({ effort: 'low' }, BUDGET, { ...call, messages: [asked, ...messages] });
    expect(thinks(...round(thought))).toBe(true);
    expect(thinks(...round({ type: 'redacted_thinking', data: 'EmwK' }))).toBe(true);
    expect(thinks(...round())).toBe(false);
    expect(thinks({ role: 'assistant', content: [thought, { type: 'text', text: 'So' }] })).toBe(false);
  });
});

describe('without requested reasoning', () => {
  const inRound = (...blocks: Block[]) => ({ ...call, messages: [asked, ...round(...blocks)] });

  test('nothing is sent', () => {
    for (const rules of [BUDGET, BOTH, ADAPTIVE, ALWAYS, NEITHER]) {
      expect(writeThinking(undefined, rules, call)).toEqual({});
    }
  });

  test('a tool call turn that began with thinking keeps thinking, if the model may decide', () => {
    expect(writeThinking(undefined, ADAPTIVE, inRound(thought))).toEqual({ thinking: shown });
    expect(writeThinking(undefined, BOTH, inRound(thought))).toEqual({ thinking: { type: 'adaptive' } });
    expect(writeThinking(undefined, BUDGET, inRound(thought))).toEqual({});
    expect(writeThinking(undefined, ADAPTIVE, inRound())).toEqual({});
    expect(writeThinking(undefined, ADAPTIVE, { ...inRound(thought), forcesTool: true })).toEqual({});
  });
});

describe('adaptive thinking', () => {
  test.each<[Reasoning, object]>([
    [{ effort: 'low' }, { thinking: shown, effort: 'low' }],
    [{ effort: 'xhigh' }, { thinking: shown, effort: 'xhigh' }],
    [{ adaptive: true }, { thinking: shown }],
    [{ budgetTokens: 4_096 }, { thinking: shown, effort: 'low' }],
    [{ budgetTokens: 10_000 }, { thinking: shown, effort: 'medium' }],
    [{ budgetTokens: 60_000 }, { thinking: shown, effort: 'high' }],
    [{ effort: 'none' }, { thinking: { type: 'disabled' } }],
    [{ effort: 'minimal' }, { thinking: { type: 'disabled' } }],
  ])('%j', (reasoning, expected) => expect(writeThinking(reasoning, ADAPTIVE, call)).toEqual(expected));

  test('of 4.6 supports both forms, but not xhigh', () => {
    expect(writeThinking({ effort: 'xhigh' }, BOTH, call)).toEqual({
      thinking: { type: 'adaptive' },
      effort: 'high',
    });
    expect(writeThinking({ budgetTokens: 5_000 }, BOTH, call)).toEqual(enabled(5_000));
  });

  test("gets the lowest effort where it can't be disabled", () =>
    expect(writeThinking({ effort: 'none' }, ALWAYS, call)).toEqual({ effort: 'low' }));

  test('a forced tool choice disables thinking, the effort stays', () => {
    const forced = { ...call, forcesTool: true };
    expect(writeThinking({ effort: 'high' }, ADAPTIVE, forced)).toEqual({ effort: 'high' });
    expect(writeThinking({ effort: 'none' }, ADAPTIVE, forced)).toEqual({});
  });
});

test('a model that does not think is not asked to', () => {
  for (const effort of ['none', 'low', 'max'] satisfies Effort[]) {
    expect(writeThinking({ effort, budgetTokens: 5_000 }, NEITHER, call)).toEqual({});
  }
});

describe('sampling parameters', () => {
  const all = { temperature: 0.3, topP: 0.9, topK: 5 };

  test('are omitted for models with adaptive thinking only', () => {
    expect(writeSampling(all, ADAPTIVE, false)).toEqual({});
    expect(writeSampling(all, ALWAYS, true)).toEqual({});
  });

  test('are omitted with thinking, except a high top_p', () => {
    expect(writeSampling(all, BUDGET, true)).toEqual({});
    expect(writeSampling({ ...all, topP: 0.95 }, BUDGET, true)).toEqual({ top_p: 0.95 });
  });

  test('a temperature above 1 becomes 1', () => {
    expect(writeSampling({ temperature: 1.7 }, NEITHER, false)).toEqual({ temperature: 1 });
    expect(writeSampling({ temperature: 0 }, BUDGET, false)).toEqual({ temperature: 0 });
  });

  test('temperature and top_p are not sent together', () => {
    expect(writeSampling(all, BUDGET, false)).toEqual({ temperature: 0.3, top_k: 5 });
    expect(writeSampling({ temperature: 1, topP: 0.5 }, BUDGET, false)).toEqual({ top_p: 0.5 });
    expect(writeSampling({ topP: 0.5 }, BUDGET, false)).toEqual({ top_p: 0.5 });
  });
});
