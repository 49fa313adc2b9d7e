import { listOf, membersOf, textOf } from '@gateway/upstream';
import { MediaRefused } from '../../domain/media-refused';
import { isUpload, type MediaFile } from '../../domain/upload';
import type { TaskState } from '../../videos/rules/task';
import type { TaskReport, VideoOrder } from '../../videos/rules/video-provider';
import { Base64Text } from '../json-body';
import { idOf, POLICY_DETAIL, readFigure, videoLink } from '../read-video';
import { brokenReply, refusedBy } from '../refusal';
import { showable } from '../showable';
import { NO_TASK, type VideoProtocol } from '../video-protocol';
import { accessToken } from './access-token';
import type { KlingKeys } from './kling-keys';

const STATES: Readonly<Record<string, TaskState>> = {
  submitted: 'queued',
  processing: 'running',
  succeed: 'completed',
  failed: 'failed',
};
const POLICY_CODE = 1301;
/** Codes that concern the order. */
const PARAMETER_CODES = new Set([1200, 1201]);
/** Codes that concern our account, whatever the status says. */
const ACCOUNT_CODES = new Set([1000, 1001, 1002, 1003, 1004, 1100, 1101, 1102, 1103]);

/** Kling. A task is polled below the path that created it, so its id here includes its kind: `text2video/123`. */
export function klingProtocol(keys: KlingKeys, nowMs: () => number): VideoProtocol {
  return {
    fetchesLinks: true,
    credential: () => ({ authorization: `Bearer ${accessToken(keys, nowMs())}` }),
    unsupportedReason: ({ images, aspectRatio }) =>
      images.length > 0 && aspectRatio !== undefined
        ? 'aspect_ratio: the video has that of the image'
        : undefined,
    // Paths accept our own id of a task as well as Kling's.
    submitRequest: (order, requestId) => ({
      path: `/v1/videos/${kindOf(order)}`,
      body: { ...toBody(order), external_task_id: requestId },
    }),
    externalTaskId: (order, requestId) => `${kindOf(order)}/${requestId}`,
    readTaskId,
    pollPath: ({ upstreamId }) => `/v1/videos/${upstreamId}`,
    readTaskReport,
    refused({ status, headers, value }) {
      const { code, message } = membersOf(value);
      if (code === POLICY_CODE) return new MediaRefused(POLICY_DETAIL);
      return refusedBy({ status: ACCOUNT_CODES.has(Number(code)) ? 402 : status, headers, message });
    },
    probe: {
      upstreamId: `text2video/${NO_TASK}`,
      isAccountProblem: (reply) => ACCOUNT_CODES.has(Number(membersOf(reply).code)),
    },
  };
}

const kindOf = ({ images }: VideoOrder) => (images.length > 0 ? 'image2video' : 'text2video');

function toBody(order: VideoOrder) {
  const { upstreamModel, prompt, tier, seconds, aspectRatio, images } = order;
  const [first, last] = images;
  return {
    model_name: upstreamModel,
    prompt,
    mode: tier,
    duration: String(seconds),
    ...(images.length === 0 && aspectRatio !== undefined && { aspect_ratio: aspectRatio }),
    ...(first && { image: toImage(first) }),
    ...(last && { image_tail: toImage(last) }),
  };
}

/** Base64 without a prefix. */
function toImage(file: MediaFile): string | Base64Text {
  return isUpload(file) ? new Base64Text(file) : file.url;
}

/** The code takes precedence over the status, which may be a success. */
function readTaskId(reply: Readonly<Record<string, unknown>>, order: VideoOrder): string | undefined {
  const { code = 0, message, data } = reply;
  if (code === POLICY_CODE) throw new MediaRefused(POLICY_DETAIL);
  if (PARAMETER_CODES.has(Number(code))) throw new MediaRefused(showable(message));
  // Problems of our account are not shown to callers.
  const words = ACCOUNT_CODES.has(Number(code)) ? {} : { message };
  if (code !== 0) throw refusedBy({ status: 500, headers: {}, ...words });
  const id = idOf(membersOf(data).task_id);
  return id === undefined ? undefined : `${kindOf(order)}/${encodeURIComponent(id)}`;
}

function readTaskReport({ code = 0, data }: Readonly<Record<string, unknown>>): TaskReport {
  const task = membersOf(data);
  const state = STATES[textOf(task.task_status)];
  if (code !== 0 || state === undefined) throw brokenReply('a task in an unknown state');
  if (state === 'failed') {
    const words = textOf(task.task_status_msg);
    return { state, detail: /risk control/i.test(words) ? POLICY_DETAIL : showable(words) };
  }
  if (state !== 'completed') return { state };
  const reported = listOf(membersOf(task.task_result).videos).map(membersOf);
  const videos = reported.flatMap(({ url, duration }) => videoLink(url, readFigure(duration)) ?? []);
  if (videos.length === 0) return { state: 'unknown' };
  const durations = reported.map(({ duration }) => readFigure(duration));
  if (durations.includes(undefined)) return { state, videos };
  // The provider measures the file, a few frames more or less; whole seconds are charged.
  const seconds = durations.reduce((sum: number, figure) => sum + Math.round(figure ?? 0), 0);
  return { state, videos, seconds };
}
