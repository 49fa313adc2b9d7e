import type { CreatedVideo, GeneratedImages, VideoResult, VideoTask } from '../../../src/api/v1-replies';
import { ApiError } from './api-error';
import { apiGetRaw, apiPost, apiPostRaw, type SendOptions, withQuery } from './client';
import { readJson } from './exchange';
import { readEvents } from './read-events';

export type * from '../../../src/api/v1-replies';

/** Longer than the gateway waits for any provider. */
const TIMEOUT_MS = 660_000;

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ChatRequest {
  readonly key_id: string;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly max_tokens?: number;
  readonly temperature?: number;
}

export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/** What one event adds to a reply. */
export interface ChatChunk {
  readonly text?: string;
  readonly reasoning?: string;
  readonly finishReason?: string;
  readonly usage?: ChatUsage;
}

export interface ChatReply {
  /** Request ID, by which the cost is found. */
  readonly requestId: string | undefined;
  readonly chunks: AsyncIterable<ChatChunk>;
}

/** Rejects if there is no reply; iterating throws if the stream breaks. */
export async function streamChat(request: ChatRequest, signal: AbortSignal): Promise<ChatReply> {
  const body = { ...request, stream: true, stream_options: { include_usage: true } };
  const response = await apiPostRaw('playground/chat', body, { signal, timeoutMs: TIMEOUT_MS });
  const requestId = requestIdOf(response);
  return { requestId, chunks: piecesOf(response, requestId) };
}

async function* piecesOf(response: Response, requestId: string | undefined): AsyncGenerator<ChatChunk> {
  if (!response.body) throw ApiError.unreachable();
  for await (const data of readEvents(response.body)) {
    if (data === '[DONE]') return;
    const frame = JSON.parse(data);
    if (frame.error) throw ApiError.fromFrame(frame, requestId);
    const [choice] = frame.choices ?? [];
    yield {
      ...(choice?.delta?.content && { text: choice.delta.content }),
      ...(choice?.delta?.reasoning_content && { reasoning: choice.delta.reasoning_content }),
      ...(choice?.finish_reason && { finishReason: choice.finish_reason }),
      ...(frame.usage && { usage: frame.usage }),
    };
  }
  // A complete reply ends with an end event.
  const message = 'The response ended early.';
  throw ApiError.fromFrame(
    { error: { type: 'upstream_error', code: 'upstream_failed', message } },
    requestId,
  );
}

export interface ImageRequest {
  readonly key_id: string;
  readonly model: string;
  readonly prompt: string;
  readonly size?: string;
  readonly quality?: string;
  readonly n?: number;
}

export interface ImageReply extends Pick<GeneratedImages, 'data'> {
  readonly requestId: string | undefined;
}

export async function generateImages(request: ImageRequest, idempotencyKey: string): Promise<ImageReply> {
  const response = await apiPostRaw('playground/images', request, { idempotencyKey, timeoutMs: TIMEOUT_MS });
  const { data } = await readJson<GeneratedImages>(response);
  return { requestId: requestIdOf(response), data };
}

export interface EditFiles {
  readonly images: readonly File[];
  readonly mask?: File | undefined;
}

export async function editImages(
  { key_id, ...fields }: ImageRequest,
  { images, mask }: EditFiles,
  idempotencyKey: string,
): Promise<ImageReply> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  for (const image of images) form.append('image[]', image);
  if (mask) form.append('mask', mask);
  const path = withQuery('playground/images/edits', { key_id });
  const response = await apiPostRaw(path, form, { idempotencyKey, timeoutMs: TIMEOUT_MS });
  const { data } = await readJson<GeneratedImages>(response);
  return { requestId: requestIdOf(response), data };
}

export interface VideoRequest {
  readonly key_id: string;
  readonly model: string;
  readonly prompt: string;
  readonly tier?: string;
  readonly duration?: number;
  readonly aspect_ratio?: string;
}

export interface VideoTaskId {
  readonly provider: string;
  readonly task_id: string;
  readonly key_id: string;
}

const videoPath = (provider: string, action: string) =>
  `playground/videos/${encodeURIComponent(provider)}/${action}`;

export async function createVideo(provider: string, request: VideoRequest, idempotencyKey: string) {
  const options: SendOptions = { idempotencyKey, timeoutMs: TIMEOUT_MS };
  const response = await apiPostRaw(videoPath(provider, 'create'), request, options);
  const task = await readJson<CreatedVideo>(response);
  return { ...task, requestId: requestIdOf(response) };
}

export const getVideoStatus = ({ provider, ...task }: VideoTaskId) =>
  apiPost<VideoTask>(videoPath(provider, 'status'), task);
export const getVideoResult = ({ provider, ...task }: VideoTaskId) =>
  apiPost<VideoResult>(videoPath(provider, 'result'), task, { timeoutMs: TIMEOUT_MS });

const FILE_PATH = /\/v1\/videos\/files\/([^/?#]+)$/;

/** Returns the API path of a file that only the gateway may fetch; undefined for links to other hosts. */
export const videoFileToken = (url: string): string | undefined => FILE_PATH.exec(url)?.[1];

export async function getVideoFile(token: string, signal?: AbortSignal): Promise<Blob> {
  const path = `playground/videos/files/${encodeURIComponent(token)}`;
  return (await apiGetRaw(path, { signal, timeoutMs: TIMEOUT_MS })).blob();
}

const requestIdOf = (response: Response): string | undefined =>
  response.headers.get('x-request-id') ?? undefined;
