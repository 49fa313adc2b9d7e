import { expect, test } from '@jest/globals';
import { ApiError } from '../../../api/api-error';
import { problemsAt, problemsOf } from './problems';

const refusal = (more: { code?: string; param?: string; detail?: string }) =>
  new ApiError(400, { type: 'invalid_request_error', code: 'invalid_request', message: 'Invalid.', ...more });

test('assigns each problem to its field', () => {
  const problems = problemsOf(
    refusal({ detail: 'slug: sim/chat already exists; targets: an active model needs a target' }),
  );
  expect([...problems]).toEqual([
    ['slug', 'Sim/chat already exists.'],
    ['targets', 'An active model needs a target.'],
  ]);
});

test('assigns a missing field by its path', () => {
  const problems = problemsOf(refusal({ code: 'missing_parameter', param: 'targets[0].provider' }));
  expect(problems.get('targets.0.provider')).toBe('Is required.');
});

test('assigns fields of a part by their full path, with or without the prefix', () => {
  expect(
    problemsOf(refusal({ detail: 'tokens.input: below zero' }), 'pricing').get('pricing.tokens.input'),
  ).toBe('Below zero.');
  const whole = refusal({ detail: 'pricing: a text model needs input and output prices' });
  expect(problemsOf(whole, 'pricing').get('pricing')).toBe('A text model needs input and output prices.');
});

test('includes the problems below a field', () => {
  const problems = problemsOf(refusal({ detail: 'image.sizes.0: too long; image: odd; imagery: no' }));
  expect(problemsAt(problems, 'image')).toBe('sizes.0: Too long. Odd.');
  expect(problemsAt(problems, 'video')).toBeUndefined();
});

test('assigns no field to other errors', () => {
  expect(problemsOf(new Error('slug: x')).size).toBe(0);
  expect(problemsOf(refusal({ detail: 'no field at all' })).size).toBe(0);
});
