import { membersOf, textOf } from '@gateway/upstream';
import { MediaRefused } from '../../domain/media-refused';
import { isUpload, type MediaFile, MIME_TYPES } from '../../domain/upload';
import type { TaskState } from '../../videos/rules/task';
import type { TaskReport, VideoOrder } from '../../videos/rules/video-provider';
import { Base64Text } from '../json-body';
import { idOf, POLICY_DETAIL, readFigure, videoLink } from '../read-video';
import { brokenReply, refusedBy } from '../refusal';
import { showable } from '../showable';
import { NO_TASK, type VideoProtocol } from '../video-protocol';
import { videoSize } from './video-size';

const STATES: Readonly<Record<string, TaskState | 'unknown'>> = {
  PENDING: 'queued',
  SUSPENDED: 'queued',
  RUNNING: 'running',
  SUCCEEDED: 'completed',
  FAILED: 'failed',
  CANCELED: 'canceled',
  UNKNOWN: 'unknown',
};
/** Codes of a 400 that concern our account. */
const ACCOUNT_CODES = /^(Arrearage|AccessDenied|InvalidApiKey|AllocationQuota)/;
/** Models by their names: from an image, from a first and a last frame. */
const IMAGE_MODELS = /-(i2v|kf2v)\b/;
const POLICY_CODES = /^DataInspectionFailed/;

/** Wan on Alibaba's DashScope. */
export function dashScopeProtocol(apiKey: string): VideoProtocol {
  return {
    fetchesLinks: true,
    credential: () => ({ authorization: `Bearer ${apiKey}` }),
    unsupportedReason,
    submitRequest: (order) => ({
      path: '/api/v1/services/aigc/video-generation/video-synthesis',
      // Without it the call would last as long as the video takes.
      headers: { 'x-dashscope-async': 'enable' },
      body: toBody(order),
    }),
    readTaskId,
    pollPath: ({ upstreamId }) => `/api/v1/tasks/${encodeURIComponent(upstreamId)}`,
    readTaskReport,
    refused({ status, headers, value }) {
      const { code, message } = membersOf(value);
      if (POLICY_CODES.test(textOf(code))) return new MediaRefused(POLICY_DETAIL);
      return refusedBy({ status: ACCOUNT_CODES.test(textOf(code)) ? 402 : status, headers, message });
    },
    probe: {
      upstreamId: NO_TASK,
      isAccountProblem: (reply) => ACCOUNT_CODES.test(textOf(membersOf(reply).code)),
    },
  };
}

function unsupportedReason({
  upstreamModel,
  images,
  aspectRatio,
  resolution,
  tier,
}: VideoOrder): string | undefined {
  if (images.length === 0 && IMAGE_MODELS.test(upstreamModel)) {
    return 'reference_images: this model needs one or two';
  }
  if (images.length > 0) {
    return aspectRatio === undefined ? undefined : 'aspect_ratio: the video has that of the image';
  }
  const has = videoSize(resolution ?? tier, aspectRatio) !== undefined;
  return has ? undefined : `aspect_ratio: ${tier} is not made in it`;
}

/** An image has its own ratio, so a video from one takes a resolution, and a video from text takes pixels. */
function toBody({
  upstreamModel,
  prompt,
  tier,
  seconds,
  resolution = tier,
  aspectRatio,
  images,
}: VideoOrder) {
  const shape = images.length > 0 ? { resolution } : { size: videoSize(resolution, aspectRatio) };
  return {
    model: upstreamModel,
    input: { prompt, ...toFrames(images) },
    parameters: { ...shape, duration: seconds },
  };
}

function toFrames([first, last]: readonly MediaFile[]) {
  if (!first) return {};
  if (!last) return { img_url: toUrl(first) };
  return { first_frame_url: toUrl(first), last_frame_url: toUrl(last) };
}

function toUrl(file: MediaFile): string | Base64Text {
  return isUpload(file) ? new Base64Text(file, `data:${MIME_TYPES[file.kind]};base64,`) : file.url;
}

function readTaskId({ output, code, message }: Readonly<Record<string, unknown>>): string | undefined {
  const id = idOf(membersOf(output).task_id);
  if (id === undefined && textOf(code) !== '') throw refusedBy({ status: 500, headers: {}, message });
  return id;
}

function readTaskReport(reply: Readonly<Record<string, unknown>>): TaskReport {
  const output = membersOf(reply.output);
  const state = STATES[textOf(output.task_status)];
  if (state === undefined) throw brokenReply('a task in an unknown state');
  if (state === 'failed') {
    const isPolicy = POLICY_CODES.test(textOf(output.code));
    return { state, detail: isPolicy ? POLICY_DETAIL : showable(output.message) };
  }
  if (state !== 'completed') return { state };
  const usage = membersOf(reply.usage);
  const seconds = readFigure(usage.duration ?? usage.video_duration);
  const video = videoLink(output.video_url, seconds);
  if (video === undefined) return { state: 'unknown' };
  return { state, videos: [video], ...(seconds !== undefined && { seconds }) };
}
