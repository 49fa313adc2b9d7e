import { expect, test } from '@jest/globals';
import { showableMessage } from './showable-message';

test.each(['max_tokens is too large: 10000000.', 'messages.0.content: the organization chart is empty'])(
  'shows the message %s',
  (message) => {
    expect(showableMessage(message)).toBe(message);
  },
);

test.each([
  'Incorrect API key provided: sk-abc',
  'Your organization must be verified to use this model.',
  'The model is not available to org-AbC123.',
  'Project proj_x1 does not have access.',
  '',
  undefined,
  { text: 'x' },
])('does not show the message %j', (message) => {
  expect(showableMessage(message)).toBeUndefined();
});

test('truncates a long message', () => {
  expect(showableMessage('x'.repeat(10_000))).toHaveLength(500);
});

test('replaces identifiers in a message with placeholders', () => {
  expect(showableMessage('Timeout while downloading https://10.0.0.8/a.png from worker-3:8080.')).toBe(
    'Timeout while downloading [url] from [host].',
  );
});
