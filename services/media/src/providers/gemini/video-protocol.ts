import { listOf, membersOf, textOf } from '@gateway/upstream';
import { isUpload, type MediaFile, MIME_TYPES } from '../../domain/upload';
import type { TaskReport, VideoOrder } from '../../videos/rules/video-provider';
import { Base64Text } from '../json-body';
import { POLICY_DETAIL, videoLink } from '../read-video';
import { brokenReply } from '../refusal';
import { showable } from '../showable';
import type { VideoProtocol } from '../video-protocol';
import { refusedGoogle } from './refused-google';

/** An operation's name is its path, and is put into a URL unchanged. */
const OPERATION = /^models\/[\w.-]{1,128}\/operations\/[\w-]{1,128}$/;
const SHOWN_SECONDS = 8;
/** Codes of google.rpc.Code. */
const CANCELLED = 1;

/** Veo in Google's Gemini API. An operation is done or not; waiting is not reported. */
export function veoProtocol(apiKey: string): VideoProtocol {
  return {
    fetchesLinks: false,
    // Not in the URL, which would appear in logs.
    credential: () => ({ 'x-goog-api-key': apiKey }),
    // ai.google.dev/gemini-api/docs/video, "Veo model parameters".
    unsupportedReason: ({ images, seconds }) =>
      images.length > 1 && seconds !== SHOWN_SECONDS
        ? `duration: several reference images are shown in ${SHOWN_SECONDS} seconds`
        : undefined,
    submitRequest: (order) => ({
      path: `/v1beta/models/${encodeURIComponent(order.upstreamModel)}:predictLongRunning`,
      body: toBody(order),
    }),
    readTaskId({ name }) {
      if (name === undefined || name === '') return undefined;
      if (OPERATION.test(textOf(name))) return textOf(name);
      throw brokenReply('an operation by a name that is none');
    },
    pollPath: ({ upstreamId }) => `/v1beta/${upstreamId}`,
    readTaskReport,
    refused: refusedGoogle,
  };
}

function toBody({ prompt, seconds, resolution, tier, aspectRatio, images }: VideoOrder) {
  const files = images.filter(isUpload).map(toImage);
  // One image is the first frame; several are references.
  const shown =
    files.length > 1
      ? { referenceImages: files.map((image) => ({ image, referenceType: 'asset' })) }
      : files.length === 1 && { image: files[0] };
  return {
    instances: [{ prompt, ...shown }],
    parameters: {
      durationSeconds: seconds,
      resolution: resolution ?? tier,
      ...(aspectRatio !== undefined && { aspectRatio }),
    },
  };
}

function toImage(file: Extract<MediaFile, { kind: unknown }>) {
  return { bytesBase64Encoded: new Base64Text(file), mimeType: MIME_TYPES[file.kind] };
}

/** It reports no seconds: the requested ones are charged. */
function readTaskReport({ done, error, response }: Readonly<Record<string, unknown>>): TaskReport {
  if (done !== true) return { state: 'running' };
  if (error !== undefined) {
    const { code, message } = membersOf(error);
    return code === CANCELLED ? { state: 'canceled' } : { state: 'failed', detail: showable(message) };
  }
  const made = membersOf(membersOf(response).generateVideoResponse);
  const samples = listOf(made.generatedSamples).map(membersOf);
  const videos = samples.flatMap(({ video }) => videoLink(membersOf(video).uri) ?? []);
  if (videos.length > 0) return { state: 'completed', videos };
  // Done and successful, but empty.
  const isFiltered =
    Number(made.raiMediaFilteredCount ?? 0) > 0 || listOf(made.raiMediaFilteredReasons).length > 0;
  return isFiltered ? { state: 'failed', detail: POLICY_DETAIL } : { state: 'unknown' };
}
