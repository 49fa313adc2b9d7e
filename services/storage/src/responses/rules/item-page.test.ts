import { expect, test } from '@jest/globals';
import { itemPage, parseItemPage } from './item-page';

const ITEMS = ['a', 'b', 'c'].map((id) => ({ id }));
const page = (query: string) => {
  const { data, has_more, first_id, last_id } = itemPage(ITEMS, parseItemPage(query));
  return [data.map(({ id }) => id).join(''), has_more, first_id, last_id];
};

test.each<[string, unknown[]]>([
  ['', ['cba', false, 'c', 'a']],
  ['order=asc', ['abc', false, 'a', 'c']],
  ['limit=2', ['cb', true, 'c', 'b']],
  ['limit=2&after=b', ['a', false, 'a', 'a']],
  ['limit=1&order=asc&after=a', ['b', true, 'b', 'b']],
  ['after=a', ['', false, null, null]],
])('the query "%s" selects a page', (query, expected) => {
  expect(page(query)).toEqual(expected);
});

test.each(['limit=0', 'limit=101', 'limit=x', 'order=up', 'after=none', 'before=a'])(
  'the query "%s" is refused',
  (query) => {
    expect(() => page(query)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  },
);
