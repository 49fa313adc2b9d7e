import { isObject } from '../json';
import { isModelName } from '../model-name';
import type { TaskRequest } from '../task-protocol';
import { uploadsOf } from '../upload';
import { videoRequest, videoSize } from '../video-request';
import { invalid } from './error';

export type KlingAction = 'text2video' | 'image2video';

const FIELDS = new Set([
  'model_name',
  'prompt',
  'negative_prompt',
  'cfg_scale',
  'mode',
  'sound',
  'aspect_ratio',
  'duration',
  'external_task_id',
]);
const IMAGES = ['image', 'image_tail'];
const MODES: Readonly<Record<string, number>> = { std: 720, pro: 1_080 };
const RATIOS = ['16:9', '9:16', '1:1'];
const DEFAULT_MODEL = 'kling-v1';
const MAX_PROMPT_CHARS = 2_500;
const LONGEST_SECONDS = 15;

/** Body of POST /v1/videos/{action}. @throws ProviderError */
export function parseVideoRequest(body: unknown, action: KlingAction): TaskRequest {
  if (!isObject(body)) throw invalid('Invalid request body');
  const images = action === 'image2video' ? IMAGES : [];
  const stray = Object.keys(body).find((field) => !FIELDS.has(field) && !images.includes(field));
  if (stray !== undefined) throw invalid(`Unknown field ${stray}`);
  const { model_name: model = DEFAULT_MODEL, prompt = '', mode = 'std', aspect_ratio: ratio = '16:9' } = body;
  if (!isModelName(model)) throw invalid('model_name is invalid');
  if (typeof prompt !== 'string' || prompt.length > MAX_PROMPT_CHARS) throw invalid('prompt is invalid');
  if (prompt === '' && action === 'text2video') throw invalid('prompt is required');
  const shortEdge = MODES[String(mode)];
  if (shortEdge === undefined) throw invalid('mode value is invalid');
  if (!RATIOS.includes(String(ratio))) throw invalid('aspect_ratio value is invalid');
  const refuse = (field: string) => invalid(`${field} is invalid`);
  // Kling accepts base64 without a data URL only.
  const dataUrl = images.find((field) => String(body[field]).startsWith('data:'));
  if (dataUrl !== undefined) throw refuse(dataUrl);
  const uploads = uploadsOf(body, images, refuse);
  if (action === 'image2video' && uploads.length === 0) throw invalid('image or image_tail is required');
  const { external_task_id: callerTaskId } = body;
  if (callerTaskId !== undefined && !isCallerTaskId(callerTaskId))
    throw invalid('external_task_id is invalid');
  return {
    ...videoRequest(model, {
      text: prompt,
      size: videoSize(shortEdge, String(ratio)),
      seconds: parseDuration(body.duration ?? '5', model),
      tier: String(mode),
      uploads,
    }),
    ...(callerTaskId !== undefined && { callerTaskId }),
  };
}

const isCallerTaskId = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]{1,64}$/.test(value);

/** Seconds, as text: 5 or 10; from kling-v3 on, any from 3 to 15. */
function parseDuration(value: unknown, model: string): number {
  const seconds = typeof value === 'string' && /^\d{1,2}$/.test(value) ? Number(value) : Number.NaN;
  const free = /^kling-v[3-9]/.test(model) && seconds >= 3 && seconds <= LONGEST_SECONDS;
  if (!free && seconds !== 5 && seconds !== 10) throw invalid('duration value is invalid');
  return seconds;
}
