import { expect, test } from '@jest/globals';
import { type InstanceSource, Membership, type Report } from './membership';

const at = (...addresses: string[]) => addresses.map((address) => ({ address }));

/** A source that reports what a test tells it to. */
function fakeSource() {
  const reports = new Set<Report>();
  const source: InstanceSource = (report) => {
    reports.add(report);
    return () => reports.delete(report);
  };
  const report: Report = (answer, failure) => {
    for (const each of reports) each(answer, failure);
  };
  return { source, report, isRunning: () => reports.size > 0 };
}

test('is the union of what its sources report, without duplicates', () => {
  const [one, two] = [fakeSource(), fakeSource()];
  const membership = new Membership([one.source, two.source]);
  const seen: string[][] = [];
  membership.watch(({ instances }) => seen.push(instances.map(({ address }) => address)));
  one.report(at('b:1', 'a:1'));
  two.report(at('a:1', 'c:1'));
  expect(seen).toEqual([
    ['a:1', 'b:1'],
    ['a:1', 'b:1', 'c:1'],
  ]);
});

test.each([
  ['an empty answer', undefined],
  ['a failure', new Error('SERVFAIL')],
])('keeps the last instances of a source after %s', (_, failure) => {
  const [one, two] = [fakeSource(), fakeSource()];
  const membership = new Membership([one.source, two.source]);
  membership.watch(() => {});
  one.report(at('a:1'));
  two.report(at('b:1'));
  two.report([], failure);
  expect(membership.instances).toEqual(at('a:1', 'b:1'));
});

test('tells that no instance can be found once every source has answered without any', () => {
  const [one, two] = [fakeSource(), fakeSource()];
  const membership = new Membership([one.source, two.source]);
  const seen: unknown[] = [];
  membership.watch(({ reported, failure }) => seen.push([reported, failure?.message]));
  one.report([]);
  two.report([], new Error('ENOTFOUND'));
  expect([seen, membership.instances]).toEqual([[[true, 'ENOTFOUND']], []]);
});

test('tells a listener only of changes, and a later listener at once of what is known', () => {
  const { source, report } = fakeSource();
  const membership = new Membership([source]);
  let calls = 0;
  membership.watch(() => calls++);
  report(at('a:1', 'b:1'));
  report(at('b:1', 'a:1'));
  expect(calls).toBe(1);
  membership.watch(() => calls++);
  expect(calls).toBe(2);
});

test('runs its sources while it has a listener, and keeps what it knows for the next one', () => {
  const { source, report, isRunning } = fakeSource();
  const membership = new Membership([source]);
  const stop = membership.watch(() => {});
  report(at('a:1'));
  stop();
  expect(isRunning()).toBe(false);
  const seen: unknown[] = [];
  membership.watch(({ instances }) => seen.push(instances));
  expect([isRunning(), seen]).toEqual([true, [at('a:1')]]);
});
