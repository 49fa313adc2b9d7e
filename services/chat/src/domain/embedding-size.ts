import type { EmbeddingInputs } from './embedding';
import { TokenCounter } from './token-count';
import { type Encoding, TokenEstimator } from './token-estimator';

/** Tokens that models add at the start and the end of each text. */
const FRAME_TOKENS = 2;

/** Returns the maximum tokens of the inputs: every token of a text has at least one byte, and no input exceeds the context. */
export function boundTokens(inputs: EmbeddingInputs, contextLength: number): number {
  const context = inputs.list.length * contextLength;
  if (inputs.kind === 'tokens') return Math.min(tokensIn(inputs.list), context);
  const bytes = inputs.list.reduce((sum, text) => sum + Buffer.byteLength(text) + FRAME_TOKENS, 0);
  return Math.min(bytes, context);
}

/** Estimates the tokens of the inputs; exact for tokens. */
export function estimateTokens(inputs: EmbeddingInputs, encoding: Encoding): number {
  if (inputs.kind === 'tokens') return tokensIn(inputs.list);
  const estimator = new TokenEstimator(encoding);
  for (const text of inputs.list) estimator.addText(text);
  return Math.max(1, estimator.tokens);
}

/** Counts the tokens of the inputs, for a call without figures from its provider. Models cut off what exceeds their context. */
export function countTokens(inputs: EmbeddingInputs, contextLength: number): number {
  if (inputs.kind === 'tokens') return tokensIn(inputs.list);
  const counter = new TokenCounter();
  let cutOff = 0;
  for (const text of inputs.list) {
    const before = counter.tokens;
    counter.addText(text);
    cutOff += Math.max(0, counter.tokens - before - contextLength);
  }
  return Math.ceil(counter.tokens - cutOff);
}

function tokensIn(lists: readonly (readonly number[])[]): number {
  return lists.reduce((sum, list) => sum + list.length, 0);
}
