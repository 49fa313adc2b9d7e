import { ERROR_TABLE, type ErrorCode, type ErrorRow, type GatewayError } from '@gateway/errors';
import { failureOf, toGatewayError } from '@gateway/upstream';
import { expect, test } from '@jest/globals';
import { uploadOf } from '../domain/upload.fixture';
import type { Upstream } from '../domain/upstream';
import { imageFailure } from '../images/rules/image-failure';
import { anOrder, aProviderCall } from '../images/rules/image-order.fixture';
import type { ImageProvider } from '../images/rules/image-provider';
import { FakeUpstream } from '../testing/fake-upstream';
import { submitFailureOf } from '../videos/rules/submit-failure';
import type { VideoProvider } from '../videos/rules/video-provider';
import { bflImages } from './bfl/bfl-images';
import { dashScopeVideos } from './dashscope/dashscope-videos';
import { geminiImages } from './gemini/gemini-images';
import { veoVideos } from './gemini/veo-videos';
import { klingVideos } from './kling/kling-videos';
import { minimaxVideos } from './minimax/minimax-videos';
import { openAiImages } from './openai/openai-images';
import { POLICY_DETAIL } from './read-video';
import { recordedReply, recordedReplyNames } from './recorded-replies.fixture';
import { ORDER, PNG_BASE64 } from './video-protocol.fixture';

const account = (baseUrl: string, apiKey = 'k') => ({ id: 'x', baseUrl, apiKey });
const KLING_KEYS = '{"access_key":"a","secret_key":"s"}';

/** Adapters by their folders. */
const IMAGES: Readonly<Record<string, (upstream: Upstream) => ImageProvider>> = {
  openai: (upstream) => openAiImages(account('https://api.openai.com/v1'), upstream),
  gemini: (upstream) => geminiImages(account('https://generativelanguage.googleapis.com'), upstream),
  bfl: (upstream) => bflImages(account('https://api.bfl.ai'), upstream, { firstWaitMs: 0, longestWaitMs: 0 }),
};
const VIDEOS: Readonly<Record<string, (upstream: Upstream) => VideoProvider>> = {
  gemini: (upstream) => veoVideos(account('https://generativelanguage.googleapis.com'), upstream),
  minimax: (upstream) => minimaxVideos(account('https://api.minimax.io'), upstream),
  kling: (upstream) => klingVideos(account('https://api-singapore.klingai.com', KLING_KEYS), upstream),
  dashscope: (upstream) => dashScopeVideos(account('https://dashscope-intl.aliyuncs.com'), upstream),
};

/** The calls of an adapter. Each resolves to its result, or to the public error that the gateway's caller receives. */
const CALLS = {
  generate: (folder: string, upstream: Upstream) => {
    const order = anOrder({ acceptsLinks: true });
    return outcome(IMAGES[folder]!(upstream).generate(order, aProviderCall()), imageErrorOf);
  },
  edit: (folder: string, upstream: Upstream) => {
    const order = anOrder({ acceptsLinks: true, images: [uploadOf('image', 'png')] });
    return outcome(IMAGES[folder]!(upstream).generate(order, aProviderCall()), imageErrorOf);
  },
  submit: (folder: string, upstream: Upstream) =>
    outcome(VIDEOS[folder]!(upstream).submit(ORDER, aProviderCall()), submitErrorOf),
  poll: (folder: string, upstream: Upstream) => {
    const task = { upstreamId: 'id', upstreamModel: ORDER.upstreamModel };
    return outcome(VIDEOS[folder]!(upstream).poll(task, aProviderCall()), (error) => ({
      error: toGatewayError(failureOf(error)),
    }));
  },
};
type Call = keyof typeof CALLS;

function imageErrorOf(error: unknown) {
  const { error: shown, tokens } = imageFailure(error);
  return { error: shown, ...(tokens && { tokens }) };
}

const submitErrorOf = (thrown: unknown) => ({ error: submitFailureOf(thrown).error });

async function outcome(call: Promise<object>, errorOf: (error: unknown) => { error: GatewayError }) {
  try {
    return await call;
  } catch (thrown) {
    const { error, ...more } = errorOf(thrown);
    const { code, row, detail, retryAfterSeconds, shouldRetry } = error;
    return { ...more, error: { code, status: row.status, detail, retryAfterSeconds, shouldRetry } };
  }
}

type Details = Partial<Pick<GatewayError, 'detail' | 'retryAfterSeconds' | 'shouldRetry'>>;

/** The outcome of a call that fails: a code of the public error table with its status. */
const failure = (code: ErrorCode, details: Details = {}) => {
  const { status, shouldRetry }: ErrorRow = ERROR_TABLE[code];
  return { error: { code, status, shouldRetry, ...details } };
};

/** The expected outcome of each call that may receive the reply, and the rest of the exchange. */
type Expectation = Partial<Record<Call, object>> & {
  /** HTTP status; absent: 200. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Recorded replies of the same provider that the call receives before and after this one. */
  readonly before?: string;
  readonly after?: string;
};

const RETRY_AFTER = { 'retry-after': '7' };
const POLICY = { detail: POLICY_DETAIL, shouldRetry: false };
const FLUX_IMAGE = {
  images: [
    {
      mime: 'image/jpeg',
      url: 'https://delivery-eu1.bfl.ai/results/5015d102/sample.jpeg?se=2026-11-25T12%3A10%3A00Z&sig=1',
    },
  ],
  inputMegapixels: 1,
};
const WAN_VIDEO = {
  state: 'completed',
  seconds: 5,
  videos: [
    {
      url: 'https://dashscope-result-sgp.oss-ap-southeast-1.aliyuncs.com/1d/966cebcd.mp4?Expires=1795086400&OSSAccessKeyId=id&Signature=1',
      durationSeconds: 5,
      expiresAtMs: 1_795_086_400_000,
    },
  ],
};

/**
 * The replies follow documented shapes; texts, ids and figures are ours, and no document has the state of `unknown-status`.
 * Sources: openai-openapi, CreateImage and Error (a moderation error has more, as clients report it);
 * ai.google.dev/api/generate-content, gemini-api/docs/video and google.rpc.Status; docs.bfl.ai, "Errors" and "Get Result";
 * Model Studio, "Text to video" and "Error codes"; Kling's API reference, "General Information" and "Text to Video";
 * platform.minimax.io, v2 of its video API. None was captured from a live provider.
 */
const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  'openai/images-base64': {
    edit: {
      images: [
        { mime: 'image/webp', base64: 'UklGRhIAAABXRUJQ' },
        { mime: 'image/webp', base64: 'UklGRhQAAABXRUJQ' },
      ],
      tokens: { textInput: 7, imageInput: 323, output: 2_112 },
    },
  },
  'openai/image-link': {
    generate: {
      images: [{ mime: 'image/png', url: 'https://files.example.com/images/img_1.png?sig=1' }],
      revisedPrompt: 'A grey cat on a windowsill, photographed in soft light',
    },
  },
  'openai/moderation-blocked': {
    status: 400,
    generate: failure('image_generation_failed', {
      detail:
        'Your request was rejected by the safety system. If you believe this is an error, contact us at [host] and include the request ID [id]. safety_violations=[sexual].',
      shouldRetry: false,
    }),
  },
  'openai/invalid-prompt': {
    status: 400,
    generate: failure('invalid_request', {
      detail:
        "Invalid 'prompt': string too long. Expected a string with maximum length 32000, but got a string with length 32001 instead.",
      shouldRetry: false,
    }),
  },
  'openai/rate-limited': {
    status: 429,
    headers: RETRY_AFTER,
    generate: failure('rate_limited', { retryAfterSeconds: 7 }),
  },
  'openai/quota-exceeded': { status: 429, generate: failure('upstream_unavailable') },
  'openai/overloaded': { status: 503, generate: failure('image_generation_failed') },

  'gemini/image-base64': {
    edit: {
      images: [{ mime: 'image/png', base64: PNG_BASE64 }],
      tokens: { textInput: 9, imageInput: 516, output: 1_290, textOutput: 50 },
    },
  },
  'gemini/image-moderated': {
    generate: {
      ...failure('image_generation_failed', POLICY),
      tokens: { textInput: 9, imageInput: 0, output: 0 },
    },
  },
  'gemini/prompt-blocked': {
    generate: {
      ...failure('image_generation_failed', POLICY),
      tokens: { textInput: 9, imageInput: 0, output: 0 },
    },
  },
  'gemini/invalid-request': {
    status: 400,
    generate: failure('invalid_request', {
      detail: 'The input token count (40000) exceeds the maximum number of tokens allowed (32768).',
      shouldRetry: false,
    }),
    submit: failure('video_generation_failed', {
      detail: 'The input token count (40000) exceeds the maximum number of tokens allowed (32768).',
      shouldRetry: false,
    }),
  },
  'gemini/rate-limited': {
    status: 429,
    generate: failure('rate_limited', { retryAfterSeconds: 52 }),
    submit: failure('rate_limited', { retryAfterSeconds: 52 }),
  },
  'gemini/overloaded': {
    status: 503,
    generate: failure('image_generation_failed'),
    submit: failure('video_generation_failed', {
      detail: 'The model is overloaded. Please try again later.',
    }),
  },
  'gemini/video-submission': {
    submit: {
      upstreamId: 'models/veo-3.1-generate-preview/operations/q7xk2m9v4c1z',
      upstreamModel: ORDER.upstreamModel,
    },
  },
  'gemini/video-task-running': { poll: { state: 'running' } },
  'gemini/video-task-succeeded': {
    poll: {
      state: 'completed',
      videos: [
        { url: 'https://generativelanguage.googleapis.com/v1beta/files/8d2k1x0p4rqz:download?alt=media' },
      ],
    },
  },
  'gemini/video-task-failed': {
    poll: {
      state: 'failed',
      detail: 'Video generation failed due to an internal server issue. Please try again in a few minutes.',
    },
  },
  'gemini/video-task-moderated': { poll: { state: 'failed', detail: POLICY_DETAIL } },
  'gemini/video-task-not-found': { status: 404, poll: { state: 'unknown' } },

  'bfl/submission': { after: 'task-ready', generate: FLUX_IMAGE },
  'bfl/task-pending': { before: 'submission', after: 'task-ready', generate: FLUX_IMAGE },
  'bfl/task-ready': { before: 'submission', generate: FLUX_IMAGE },
  'bfl/task-request-moderated': {
    before: 'submission',
    generate: failure('image_generation_failed', POLICY),
  },
  'bfl/task-content-moderated': {
    before: 'submission',
    generate: failure('image_generation_failed', POLICY),
  },
  'bfl/task-error': { before: 'submission', generate: { images: [], inputMegapixels: 1 } },
  'bfl/task-not-found': {
    before: 'submission',
    status: 404,
    generate: { images: [], inputMegapixels: 1 },
  },
  'bfl/task-unknown-status': { before: 'submission', after: 'task-ready', generate: FLUX_IMAGE },
  'bfl/invalid-request': {
    status: 422,
    generate: failure('invalid_request', {
      detail: 'seed: Input should be less than or equal to 4294967295',
      shouldRetry: false,
    }),
  },
  'bfl/rate-limited': {
    status: 429,
    headers: RETRY_AFTER,
    generate: failure('rate_limited', { retryAfterSeconds: 7 }),
  },
  'bfl/overloaded': { status: 503, generate: failure('image_generation_failed') },

  'minimax/submission': {
    submit: { upstreamId: '310000000000001', upstreamModel: ORDER.upstreamModel },
  },
  'minimax/prompt-refused': {
    status: 422,
    submit: failure('video_generation_failed', {
      detail: 'video description contains sensitive content (1026)',
      shouldRetry: false,
    }),
  },
  'minimax/prompt-refused-with-status-200': { submit: failure('video_generation_failed', POLICY) },
  'minimax/invalid-request': {
    status: 400,
    submit: failure('video_generation_failed', {
      detail: 'invalid params, duration must be between 4 and 15 (2013)',
      shouldRetry: false,
    }),
  },
  'minimax/rate-limited': {
    status: 429,
    headers: RETRY_AFTER,
    submit: failure('rate_limited', { retryAfterSeconds: 7 }),
  },
  'minimax/insufficient-balance-with-status-200': { submit: failure('video_generation_failed') },
  'minimax/overloaded': {
    status: 503,
    submit: failure('video_generation_failed', { detail: 'server overloaded, please retry later (1000)' }),
  },
  'minimax/task-queued': { poll: { state: 'queued' } },
  'minimax/task-running': { poll: { state: 'running' } },
  'minimax/task-succeeded': {
    poll: {
      state: 'completed',
      seconds: 6,
      videos: [
        {
          url: 'https://cdn.hailuoai.com/prod/video_310000000000001.mp4?Expires=1795032400&Signature=1',
          durationSeconds: 6,
          expiresAtMs: 1_795_032_400_000,
        },
      ],
    },
  },
  'minimax/task-failed': { poll: { state: 'failed', detail: 'generation failed' } },
  'minimax/task-moderated': { poll: { state: 'failed', detail: POLICY_DETAIL } },
  'minimax/task-unknown-status': { poll: failure('upstream_failed') },

  'kling/submission': {
    submit: { upstreamId: 'text2video/867283741759111202', upstreamModel: ORDER.upstreamModel },
  },
  'kling/prompt-refused': { status: 400, submit: failure('video_generation_failed', POLICY) },
  'kling/invalid-request': {
    status: 400,
    submit: failure('video_generation_failed', {
      detail: "duration value '7' is invalid",
      shouldRetry: false,
    }),
  },
  'kling/rate-limited': { status: 429, submit: failure('rate_limited', { retryAfterSeconds: 1 }) },
  'kling/insufficient-balance': { status: 429, submit: failure('upstream_unavailable') },
  'kling/overloaded': {
    status: 503,
    submit: failure('video_generation_failed', {
      detail: 'Server temporarily unavailable, usually due to maintenance',
    }),
  },
  'kling/task-queued': { poll: { state: 'queued' } },
  'kling/task-running': { poll: { state: 'running' } },
  'kling/task-succeeded': {
    poll: {
      state: 'completed',
      seconds: 5,
      videos: [
        {
          url: 'https://cdn.klingai.com/bs2/upload-kling-api/867283742220468283.mp4',
          durationSeconds: 5.041,
        },
      ],
    },
  },
  'kling/task-failed': { poll: { state: 'failed', detail: 'Generation failed, please try again' } },
  'kling/task-moderated': { poll: { state: 'failed', detail: POLICY_DETAIL } },
  'kling/task-not-found': { status: 404, poll: { state: 'unknown' } },
  'kling/task-unknown-status': { poll: failure('upstream_failed') },

  'dashscope/submission': {
    submit: {
      upstreamId: '966cebcd-dedc-4962-af88-000000000001',
      upstreamModel: ORDER.upstreamModel,
    },
  },
  'dashscope/prompt-refused': { status: 400, submit: failure('video_generation_failed', POLICY) },
  'dashscope/invalid-request': {
    status: 400,
    submit: failure('video_generation_failed', {
      detail: 'duration must be in [5, 10, 15]',
      shouldRetry: false,
    }),
  },
  'dashscope/rate-limited': { status: 429, submit: failure('rate_limited', { retryAfterSeconds: 1 }) },
  'dashscope/account-overdue': { status: 400, submit: failure('upstream_unavailable') },
  'dashscope/overloaded': {
    status: 503,
    submit: failure('video_generation_failed', {
      detail: 'Too many requests. Your requests are being throttled due to system capacity limits.',
    }),
  },
  'dashscope/task-queued': { poll: { state: 'queued' } },
  'dashscope/task-running': { poll: { state: 'running' } },
  'dashscope/task-succeeded': { poll: WAN_VIDEO },
  'dashscope/task-succeeded-wan2.2': { poll: WAN_VIDEO },
  'dashscope/task-failed': {
    poll: { state: 'failed', detail: 'An internal error has occurred, please try again later.' },
  },
  'dashscope/task-moderated': { poll: { state: 'failed', detail: POLICY_DETAIL } },
  'dashscope/task-forgotten': { poll: { state: 'unknown' } },
  'dashscope/task-unknown-status': { poll: failure('upstream_failed') },
};

const cases = Object.entries(EXPECTATIONS).flatMap(([name, expectation]) =>
  (Object.keys(CALLS) as Call[]).flatMap((call) => {
    const expected = expectation[call];
    return expected ? [[call, name, expectation, expected] as const] : [];
  }),
);

test('every recorded reply has an expectation, and every expectation has a recorded reply', () => {
  const expected = new Set(cases.map(([, name]) => name));
  expect([...expected].sort()).toEqual(recordedReplyNames().sort());
  expect(Object.keys(EXPECTATIONS)).toHaveLength(expected.size);
});

test.each(cases)('%s reads the recorded reply %s as expected', async (call, name, expectation, expected) => {
  const { status = 200, headers = {}, before, after } = expectation;
  const [folder = ''] = name.split('/');
  const sibling = (file?: string) => (file ? [{ json: recordedReply(`${folder}/${file}`) }] : []);
  const reply = { status, headers, json: recordedReply(name) };
  const upstream = new FakeUpstream(...sibling(before), reply, ...sibling(after));
  expect(await CALLS[call](folder, upstream)).toEqual(expected);
});
