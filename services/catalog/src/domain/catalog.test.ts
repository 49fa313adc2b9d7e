import { describe, expect, test } from '@jest/globals';
import { Catalog } from './catalog';
import type { Model } from './model';

const model = (slug: string, name = slug) => ({ slug, name }) as Model;
const names = (models: readonly Model[] | undefined) => models?.map(({ name }) => name);

describe('Catalog', () => {
  test('returns nothing before it is loaded', () => {
    expect(new Catalog().since(undefined)).toBeUndefined();
  });

  test('returns everything to a new client, otherwise the changes since its revision', () => {
    const catalog = new Catalog();
    catalog.apply({ revision: 1n, snapshot: true, models: [model('a'), model('b')] });
    expect(catalog.since(undefined)).toMatchObject({ snapshot: true, revision: 1n });
    expect(catalog.since(1n)).toBeUndefined();
    catalog.apply({ revision: 2n, snapshot: false, models: [model('b', 'b2')] });
    catalog.apply({ revision: 3n, snapshot: false, models: [model('c')] });
    expect(names(catalog.since(1n)?.models)).toEqual(['b2', 'c']);
    expect(catalog.since(1n)?.snapshot).toBe(false);
    expect(names(catalog.since(2n)?.models)).toEqual(['c']);
  });

  test('an outdated update changes nothing', () => {
    const catalog = new Catalog();
    catalog.apply({ revision: 2n, snapshot: true, models: [model('a', 'new')] });
    catalog.apply({ revision: 1n, snapshot: false, models: [model('a', 'old')] });
    expect(names(catalog.since(undefined)?.models)).toEqual(['new']);
  });

  test('returns a snapshot when the revision belongs to another database', () => {
    const catalog = new Catalog();
    catalog.apply({ revision: 9n, snapshot: true, models: [model('a')] });
    catalog.apply({ revision: 1n, snapshot: true, models: [model('b')] });
    expect(catalog.since(9n)).toEqual({ revision: 1n, snapshot: true, models: [model('b')] });
  });
});
