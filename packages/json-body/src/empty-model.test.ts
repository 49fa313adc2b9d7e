import { expect, test } from '@jest/globals';
import { withoutEmptyModel } from './empty-model';

test.each([[null], [''], [[]]])(
  'replaces an empty model of %j with null, which is refused as invalid_model rather than missing',
  (model) => {
    expect(withoutEmptyModel({ model, n: 1 })).toEqual({ model: null, n: 1 });
  },
);

test.each([{}, { model: undefined }, { model: 'a' }, { model: {} }, { model: [''] }])(
  'leaves a body with an absent or non-empty model unchanged: %j',
  (body) => {
    expect(withoutEmptyModel(body)).toBe(body);
  },
);
