import { expect, test } from '@jest/globals';
import { type PromptMessage, type PromptRole, roundsOf } from './prompt';

const said = (role: PromptRole, ...texts: string[]): PromptMessage => ({
  ...{ role, texts, name: null, otherParts: 0, signedParts: 0, toolCalls: [] },
});
const picture = (role: PromptRole): PromptMessage => ({ ...said(role), otherParts: 1 });
const rounds = (...messages: PromptMessage[]) => roundsOf({ messages, tools: [] }).length;

const ASK = said('user', 'a');
const ROUND = [said('assistant'), said('tool', 'b')];

test('the rounds of a tool loop are the messages of the model since the last question of the user', () => {
  expect(rounds(ASK)).toBe(0);
  expect(rounds(ASK, ...ROUND, ...ROUND)).toBe(2);
  expect(rounds(ASK, ...ROUND, said('assistant', 'c'), said('user', 'd'))).toBe(0);
});

test('images and texts after the results of a round are no question', () => {
  const round = [
    said('assistant'),
    picture('tool'),
    said('tool'),
    picture('user'),
    said('user', 'a reminder'),
  ];
  expect(rounds(ASK, ...round, ...round)).toBe(2);
});

test('rounds are counted from the message of the user with the directive, also if it follows results', () => {
  const directive = said('user', '[[sim {"text":"x"}]]');
  expect(rounds(ASK, ...ROUND, directive, ...ROUND, picture('user'))).toBe(1);
  expect(rounds(directive, ...ROUND, said('assistant', 'c'), said('user', 'd'))).toBe(2);
});
