import { expect, test } from '@jest/globals';
import { withoutEmptyModel } from './empty-model';

test.each([[null], [''], [[]]])('a model of %j is there, and no model', (model) => {
  expect(withoutEmptyModel({ model, n: 1 })).toEqual({ model: null, n: 1 });
});

test.each([{}, { model: undefined }, { model: 'a' }, { model: {} }, { model: [''] }])(
  '%j stays as it is',
  (body) => {
    expect(withoutEmptyModel(body)).toBe(body);
  },
);
