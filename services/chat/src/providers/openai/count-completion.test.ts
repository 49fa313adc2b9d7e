import { expect, test } from '@jest/globals';
import { countCompletion } from './count-completion';

const count = (message: object) => countCompletion({ choices: [{ index: 0, message }] });

test.each(['reasoning_content', 'reasoning'])('thinking in %s is counted, once', (field) => {
  const thinking = 'First the easy part, then the rest.';
  const both = count({ content: 'Yes.', [field]: thinking });
  expect(both).toBeGreaterThan(count({ content: 'Yes.' }) + 5);
  expect(count({ content: 'Yes.', reasoning: thinking, reasoning_content: thinking })).toBe(both);
});
