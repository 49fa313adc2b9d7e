import { membersOf } from '@gateway/upstream';
import { MediaRefused } from '../../domain/media-refused';
import { isUpload, type MediaFile, MIME_TYPES } from '../../domain/upload';
import type { TaskState } from '../../videos/rules/task';
import type { TaskReport, VideoOrder } from '../../videos/rules/video-provider';
import { Base64Text } from '../json-body';
import { idOf, POLICY_DETAIL, readFigure, videoLink } from '../read-video';
import { brokenReply, refusedBy } from '../refusal';
import { showable } from '../showable';
import { NO_TASK, type VideoProtocol } from '../video-protocol';

const STATES: Readonly<Record<string, TaskState>> = {
  queued: 'queued',
  running: 'running',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'canceled',
  expired: 'expired',
};
/** Codes of permanent refusals: text, images, parameters. */
const POLICY_CODES = new Set([1026, 1027]);
const PARAMETER_CODE = 2013;
/** Codes that concern our account: its key, its balance. */
const ACCOUNT_CODES = new Set([1004, 1008, 2049]);

/** MiniMax, v2 of its API. */
export function minimaxProtocol(apiKey: string): VideoProtocol {
  return {
    fetchesLinks: true,
    credential: () => ({ authorization: `Bearer ${apiKey}` }),
    submitRequest: (order) => ({ path: '/v2/video_generation', body: toBody(order) }),
    readTaskId,
    pollPath: ({ upstreamId }) => `/v2/query/video_generation/${encodeURIComponent(upstreamId)}`,
    readTaskReport,
    refused({ status, headers, value }) {
      const { message } = membersOf(membersOf(value).error);
      return refusedBy({ status, headers, message });
    },
    probe: {
      upstreamId: NO_TASK,
      isAccountProblem: (reply) =>
        ACCOUNT_CODES.has(Number(membersOf(membersOf(reply).base_resp).status_code)),
    },
  };
}

function toBody({ upstreamModel, prompt, seconds, resolution, tier, aspectRatio, images }: VideoOrder) {
  // One image is the first frame; several are references.
  const role = images.length === 1 ? 'first_frame' : 'reference_image';
  return {
    model: upstreamModel,
    content: [
      { type: 'text', text: prompt },
      ...images.map((file) => ({ type: 'image_url', image_url: { url: toUrl(file) }, role })),
    ],
    duration: seconds,
    resolution: resolution ?? tier,
    ratio: aspectRatio ?? (images.length > 0 ? 'adaptive' : '16:9'),
  };
}

function toUrl(file: MediaFile): string | Base64Text {
  return isUpload(file) ? new Base64Text(file, `data:${MIME_TYPES[file.kind]};base64,`) : file.url;
}

/** An error may have a success status, with its code in `base_resp`. */
function readTaskId(reply: Readonly<Record<string, unknown>>): string | undefined {
  const { status_code: code = 0, status_msg: words } = membersOf(reply.base_resp);
  if (code === 0) return idOf(reply.task_id);
  if (POLICY_CODES.has(Number(code))) throw new MediaRefused(POLICY_DETAIL);
  if (code === PARAMETER_CODE) throw new MediaRefused(showable(words));
  const message = ACCOUNT_CODES.has(Number(code)) ? undefined : words;
  throw refusedBy({ status: 500, headers: {}, message });
}

function readTaskReport(reply: Readonly<Record<string, unknown>>): TaskReport {
  const task = membersOf(reply.task);
  const state = STATES[`${task.status}`];
  if (state === undefined) throw brokenReply('a task in an unknown state');
  if (state === 'failed') {
    const { code, message } = membersOf(task.error);
    return { state, detail: POLICY_CODES.has(Number(code)) ? POLICY_DETAIL : showable(message) };
  }
  if (state !== 'completed') return { state };
  const seconds = readFigure(membersOf(task.usage).output_seconds);
  const video = videoLink(membersOf(task.content).url, readFigure(task.duration) ?? seconds);
  if (video === undefined) return { state: 'unknown' };
  return { state, videos: [video], ...(seconds !== undefined && { seconds }) };
}
