import { describe, expect, test } from '@jest/globals';
import type { Reasoning } from '../../domain/conversation';
import { geminiModel } from './gemini-model';
import { writeThinking } from './write-thinking';

const thinkers = (...efforts: string[]) =>
  new Set(['reasoning', ...efforts.map((effort) => `effort_${effort}`)]);
const PRO = thinkers('low', 'medium', 'high');
const FLASH = thinkers('minimal', 'low', 'medium', 'high');

describe('Gemini 3 has the levels that the catalog lists', () => {
  const thinking = (reasoning: Reasoning, capabilities: ReadonlySet<string>) =>
    writeThinking(reasoning, geminiModel('gemini-3.5-flash'), 65_536, capabilities);

  test.each<[Reasoning, ReadonlySet<string>, string]>([
    [{ effort: 'minimal' }, FLASH, 'MINIMAL'],
    [{ effort: 'minimal' }, PRO, 'LOW'],
    [{ effort: 'medium' }, PRO, 'MEDIUM'],
    [{ effort: 'max' }, PRO, 'HIGH'],
    [{ budgetTokens: 1_024 }, FLASH, 'LOW'],
    [{ budgetTokens: 8_192 }, FLASH, 'MEDIUM'],
    [{ budgetTokens: 32_000 }, FLASH, 'HIGH'],
  ])('%j', (reasoning, capabilities, thinkingLevel) => {
    expect(thinking(reasoning, capabilities)).toEqual({ includeThoughts: true, thinkingLevel });
  });

  test('Gemini 3 decides itself if allowed, or if its levels are unknown', () => {
    expect(thinking({ adaptive: true }, FLASH)).toEqual({ includeThoughts: true });
    expect(thinking({ effort: 'high' }, thinkers())).toEqual({ includeThoughts: true });
  });

  test('Gemini 3 thinks even if asked not to', () => {
    expect(thinking({ effort: 'none' }, FLASH)).toEqual({ includeThoughts: false, thinkingLevel: 'MINIMAL' });
    expect(thinking({ budgetTokens: 0 }, PRO)).toEqual({ includeThoughts: false, thinkingLevel: 'LOW' });
  });
});

describe('Gemini 2.5 has budgets', () => {
  const thinking = (reasoning: Reasoning, maxOutputTokens = 65_536, capabilities = thinkers('none')) =>
    writeThinking(reasoning, geminiModel('gemini-2.5-flash'), maxOutputTokens, capabilities);

  test.each<[Reasoning, number]>([
    [{ effort: 'low' }, 1_024],
    [{ effort: 'medium' }, 8_192],
    [{ effort: 'max' }, 24_576],
    [{ budgetTokens: 50 }, 512],
    [{ budgetTokens: 60_000 }, 24_576],
    [{ adaptive: true }, -1],
    [{ budgetTokens: 2_000, adaptive: true }, 2_000],
  ])('%j', (reasoning, thinkingBudget) => {
    expect(thinking(reasoning)).toEqual({ includeThoughts: true, thinkingBudget });
  });

  test('not every Gemini 2.5 model can disable thinking', () => {
    expect(thinking({ effort: 'none' })).toEqual({ includeThoughts: false, thinkingBudget: 0 });
    expect(thinking({ effort: 'none' }, 65_536, thinkers())).toEqual({
      includeThoughts: false,
      thinkingBudget: 512,
    });
  });

  test('budgets leave room for the answer', () => {
    expect(thinking({ effort: 'high' }, 4_000)).toEqual({ includeThoughts: true, thinkingBudget: 2_000 });
  });
});

test('a model that does not think gets no thinking parameters', () => {
  expect(
    writeThinking({ effort: 'high' }, geminiModel('gemini-2.0-flash'), 1_000, new Set()),
  ).toBeUndefined();
});

test('without requested reasoning the model decides', () => {
  expect(writeThinking(undefined, geminiModel('gemini-3.5-flash'), 1_000, FLASH)).toBeUndefined();
});
