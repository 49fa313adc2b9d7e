import { describe, expect, test } from '@jest/globals';
import { NO_PROBLEMS, nextStep, type TaskProgress, type TaskStep } from './next-step';
import type { TaskReport } from './video-provider';

const settings = { intervalMs: 3_000, giveUpMs: 86_400_000 };
const task: TaskProgress = {
  state: 'queued',
  ageMs: 10_000,
  requestedMs: 5_000n,
  perSecondNano: 50_000_000n,
  problems: NO_PROBLEMS,
};
const stepAfter = (report: TaskReport | undefined, changed: Partial<TaskProgress> = {}) =>
  nextStep({ ...task, ...changed }, report, settings);
const videos = [{ url: 'https://example.com/a.mp4' }];

describe('a task ends', () => {
  test.each<[string, TaskReport, TaskStep]>([
    [
      'as completed, charged by the seconds that the provider reports',
      { state: 'completed', seconds: 4.5, videos },
      {
        kind: 'end',
        state: 'completed',
        bill: { outcome: 'settled', costNano: 225_000_000n, videoMs: 4_500n, source: 'provider' },
      },
    ],
    [
      'as completed, charged by the ordered seconds if the provider reports none',
      { state: 'completed', videos },
      {
        kind: 'end',
        state: 'completed',
        bill: { outcome: 'settled', costNano: 250_000_000n, videoMs: 5_000n, source: 'counted' },
      },
    ],
    [
      'as failed, free of charge',
      { state: 'failed', detail: 'no' },
      { kind: 'end', state: 'failed', bill: { outcome: 'released' }, detail: 'no' },
    ],
    [
      'as canceled, free of charge',
      { state: 'canceled' },
      { kind: 'end', state: 'canceled', bill: { outcome: 'released' } },
    ],
    [
      'as expired, free of charge',
      { state: 'expired' },
      { kind: 'end', state: 'expired', bill: { outcome: 'released' } },
    ],
  ])('%s', (_name, report, step) => {
    expect(stepAfter(report)).toEqual(step);
    expect(stepAfter(report, { state: 'running' })).toEqual(step);
  });

  test('with a cost above the hold if the provider reports more seconds; settlement limits the charge', () => {
    const step = stepAfter({ state: 'completed', seconds: 60, videos });
    expect(step).toMatchObject({ bill: { costNano: 3_000_000_000n, videoMs: 60_000n } });
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 3_601, 0.0001])(
    'at the ordered seconds after several polls report %d seconds',
    (seconds) => {
      const report: TaskReport = { state: 'completed', seconds, videos };
      let { problems } = task;
      for (let unpricedPolls = 1; unpricedPolls <= 4; unpricedPolls++) {
        const step = stepAfter(report, { state: 'running', problems });
        expect(step).toEqual({
          kind: 'wait',
          state: 'running',
          problems: { failedPolls: 0, unknownMs: 0, unpricedPolls },
          waitMs: 3_000,
        });
        if (step.kind === 'wait') problems = step.problems;
      }
      expect(stepAfter(report, { state: 'running', problems })).toMatchObject({
        kind: 'end',
        state: 'completed',
        bill: { outcome: 'settled', videoMs: 5_000n, source: 'counted' },
      });
    },
  );

  test('as expired and lost after a day, and not before', () => {
    const old = { ageMs: settings.giveUpMs, state: 'running' } as const;
    const gaveUp = { kind: 'end', state: 'expired', bill: { outcome: 'lost' } };
    expect(stepAfter({ state: 'running' }, old)).toEqual(gaveUp);
    expect(stepAfter(undefined, old)).toEqual(gaveUp);
    expect(stepAfter({ state: 'completed', videos }, old)).toMatchObject({ state: 'completed' });
    expect(stepAfter({ state: 'running' }, { ...old, ageMs: settings.giveUpMs - 1 })).toMatchObject({
      kind: 'wait',
    });
  });

  test('as expired and lost after ten minutes in which its provider does not know it', () => {
    let { problems } = task;
    for (let polls = 0; polls < 200; polls++) {
      const step = stepAfter({ state: 'unknown' }, { problems });
      expect(step).toMatchObject({ kind: 'wait', waitMs: 3_000 });
      if (step.kind === 'wait') problems = step.problems;
    }
    expect(stepAfter({ state: 'unknown' }, { problems })).toMatchObject({
      state: 'expired',
      bill: { outcome: 'lost' },
    });
    const found = stepAfter({ state: 'running' }, { problems });
    expect(found).toMatchObject({ state: 'running', problems: NO_PROBLEMS });
  });
});

describe('the wait before the next poll', () => {
  test.each([
    [0, 3_000],
    [60_000, 3_000],
    [100_000, 5_000],
    [300_000, 15_000],
    [80_000_000, 15_000],
  ])('at an age of %d ms is %d ms', (ageMs, waitMs) => {
    expect(stepAfter({ state: 'running' }, { ageMs })).toMatchObject({
      kind: 'wait',
      state: 'running',
      waitMs,
    });
  });

  test('doubles after each failed poll, up to 30 s', () => {
    let { problems } = task;
    const waits = Array.from({ length: 7 }, () => {
      const step = stepAfter(undefined, { problems });
      if (step.kind !== 'wait') throw new Error('ended');
      problems = step.problems;
      return step.waitMs;
    });
    expect(waits).toEqual([3_000, 6_000, 12_000, 24_000, 30_000, 30_000, 30_000]);
  });
});

test('a running task does not return to queued', () => {
  expect(stepAfter({ state: 'queued' }, { state: 'running' })).toMatchObject({
    kind: 'wait',
    state: 'running',
  });
  expect(stepAfter(undefined, { state: 'running' })).toMatchObject({ kind: 'wait', state: 'running' });
});
