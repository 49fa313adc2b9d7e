import { UpstreamError } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MediaRefused } from '../domain/media-refused';
import { mutated } from '../testing/mutated';
import { TASK_STATES } from '../videos/rules/task';
import { dashScopeWire } from './dashscope/video-wire';
import { veoWire } from './gemini/video-wire';
import { klingWire } from './kling/video-wire';
import { minimaxWire } from './minimax/video-wire';
import { recordedReply } from './recorded-replies.fixture';
import { type VideoWire, wireVideoProvider } from './video-wire';
import { CALL, ORDER, RecordedUpstream } from './video-wire.fixture';

const WIRES: readonly [string, VideoWire, accepted: unknown, done: unknown][] = [
  ['minimax', minimaxWire('k'), recordedReply('minimax/submission'), recordedReply('minimax/task-succeeded')],
  [
    'kling',
    klingWire({ accessKey: 'a', secretKey: 's' }, () => 0),
    recordedReply('kling/submission'),
    recordedReply('kling/task-succeeded'),
  ],
  [
    'dashscope',
    dashScopeWire('k'),
    recordedReply('dashscope/submission'),
    recordedReply('dashscope/task-succeeded'),
  ],
  [
    'veo',
    veoWire('k'),
    recordedReply('gemini/video-submission'),
    recordedReply('gemini/video-task-succeeded'),
  ],
];

const odd = fc.constantFrom('\0', 'a\0b', '\ud800', 'failed', 'FAILED', 'x'.repeat(600));
const mutation = fc.tuple(fc.array(fc.nat(20), { maxLength: 8 }), fc.oneof(fc.jsonValue(), odd));

describe.each(WIRES)('%s', (id, wire, accepted, done) => {
  const provider = (reply: unknown, status = 200) =>
    wireVideoProvider({ id, baseUrl: 'https://x.test' }, wire, new RecordedUpstream([status, reply]));
  const task = { upstreamId: '1', upstreamModel: 'm' };
  const isKnown = (error: unknown) => error instanceof UpstreamError || error instanceof MediaRefused;

  test('whatever is said of an order is a task, no task, or a failure', () =>
    fc.assert(
      fc.asyncProperty(mutation, fc.constantFrom(200, 400, 500), async ([path, by], status) => {
        try {
          const told = await provider(mutated(accepted, path, by), status).submit(ORDER, CALL);
          expect(told.upstreamId ?? 'none').toMatch(/^[\x21-\x7e]+$/);
        } catch (error) {
          if (!isKnown(error)) throw error;
        }
      }),
    ));

  test('whatever is said of a task is a report, or a failure', () =>
    fc.assert(
      fc.asyncProperty(mutation, fc.constantFrom(200, 404, 500), async ([path, by], status) => {
        try {
          const report = await provider(mutated(done, path, by), status).poll(task, CALL);
          expect([...TASK_STATES, 'unknown']).toContain(report.state);
          expect(['number', 'undefined']).toContain(typeof report.seconds);
          expect(report.detail ?? 'none').toMatch(/^\P{Cc}+$/u);
          if (report.state === 'completed') expect(report.videos).not.toHaveLength(0);
          for (const video of report.videos ?? []) expect(video.url).toMatch(/^https?:/);
        } catch (error) {
          if (!isKnown(error)) throw error;
        }
      }),
    ));
});
