import { expect, test } from '@jest/globals';
import { contentsFraming } from './contents-framing';

const piece = (text: string, more: object = {}) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...more }],
});

test('a stream with feedback about its prompt that refuses nothing is complete only with its finish reason', () => {
  const promptFeedback = { safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }] };
  const begun = { ...piece('One'), promptFeedback };
  expect(contentsFraming.toWhole([begun], false)).toBeUndefined();
  expect(contentsFraming.toWhole([{ promptFeedback }], false)).toBeUndefined();
  expect(contentsFraming.toWhole([begun, piece(' two', { finishReason: 'STOP' })], false)).toMatchObject({
    promptFeedback,
    candidates: [{ content: { parts: [{ text: 'One' }, { text: ' two' }] }, finishReason: 'STOP' }],
  });
});

test('a stream whose prompt is refused is complete without a candidate', () => {
  const refused = { promptFeedback: { blockReason: 'SAFETY' } };
  expect(contentsFraming.toWhole([refused], false)).toEqual({ ...refused, candidates: [] });
});
