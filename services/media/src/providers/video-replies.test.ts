import { UpstreamError } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MediaRefused } from '../domain/media-refused';
import { mutated } from '../testing/mutated';
import { TASK_STATES } from '../videos/rules/task';
import { dashScopeProtocol } from './dashscope/video-protocol';
import { veoProtocol } from './gemini/video-protocol';
import { klingProtocol } from './kling/video-protocol';
import { minimaxProtocol } from './minimax/video-protocol';
import { createVideoProvider, type VideoProtocol } from './video-protocol';
import { CALL, ORDER, RecordedUpstream } from './video-protocol.fixture';

const url = 'https://cdn.test/a.mp4';
const WIRES: readonly [string, VideoProtocol, accepted: object, done: object][] = [
  [
    'minimax',
    minimaxProtocol('k'),
    { task_id: '1', base_resp: { status_code: 0, status_msg: 'ok' } },
    { task: { status: 'succeeded', content: { url }, duration: 5, usage: { output_seconds: 5 } } },
  ],
  [
    'kling',
    klingProtocol({ accessKey: 'a', secretKey: 's' }, () => 0),
    { code: 0, message: 'ok', data: { task_id: '1' } },
    { code: 0, data: { task_status: 'succeed', task_result: { videos: [{ url, duration: '5.0' }] } } },
  ],
  [
    'dashscope',
    dashScopeProtocol('k'),
    { output: { task_id: '1', task_status: 'PENDING' } },
    { output: { task_status: 'SUCCEEDED', video_url: url }, usage: { duration: 5 } },
  ],
  [
    'veo',
    veoProtocol('k'),
    { name: 'models/veo/operations/1' },
    { done: true, response: { generateVideoResponse: { generatedSamples: [{ video: { uri: url } }] } } },
  ],
];

const odd = fc.constantFrom('\0', 'a\0b', '\ud800', 'failed', 'FAILED', 'x'.repeat(600));
const mutation = fc.tuple(fc.array(fc.nat(20), { maxLength: 8 }), fc.oneof(fc.jsonValue(), odd));

describe.each(WIRES)('%s', (id, wire, accepted, done) => {
  const provider = (reply: unknown, status = 200) =>
    createVideoProvider({ id, baseUrl: 'https://x.test' }, wire, new RecordedUpstream([status, reply]));
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
