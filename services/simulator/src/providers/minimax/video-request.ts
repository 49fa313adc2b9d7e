import type { Upload } from '../../domain/media-usage';
import { isObject, type Json } from '../json';
import { isModelName } from '../model-name';
import type { TaskRequest } from '../task-protocol';
import { uploadOf } from '../upload';
import { videoRequest, videoSize } from '../video-request';
import { invalid } from './error';

const FIELDS = new Set(['model', 'content', 'duration', 'resolution', 'ratio', 'aigc_watermark']);
const RESOLUTIONS: Readonly<Record<string, number>> = { '768P': 768, '2K': 1_440 };
const RATIOS = ['21:9', '16:9', '4:3', '1:1', '3:4', '9:16'];
const ROLES = ['first_frame', 'last_frame', 'reference_image'];
const SECONDS = { min: 4, max: 15 };
const MAX_ITEMS = 16;
const MAX_PROMPT_CHARS = 10_000;

/** Body of POST /v2/video_generation: texts and images, without reference videos and audio. @throws ProviderError */
export function parseVideoRequest(body: unknown): TaskRequest {
  if (!isObject(body)) throw invalid('body must be an object');
  const stray = Object.keys(body).find((field) => !FIELDS.has(field));
  if (stray !== undefined) throw invalid(`unknown field ${stray}`);
  const { model, content, duration, resolution = '768P' } = body;
  if (!isModelName(model)) throw invalid('model is required');
  if (!Array.isArray(content) || content.length > MAX_ITEMS) throw invalid('content must be a list of items');
  const items = content.map((item, i) => parseItem(item, `content[${i}]`));
  const [text, ...more] = items.flatMap((item) => (typeof item === 'string' ? [item] : []));
  if (!text) throw invalid('content must include a non-empty text item (prompt is required)');
  if (more.length > 0 || text.length > MAX_PROMPT_CHARS) throw invalid('content text');
  const seconds = Number.isInteger(duration) ? Number(duration) : 0;
  if (seconds < SECONDS.min || seconds > SECONDS.max) throw invalid('duration');
  const shortEdge = RESOLUTIONS[String(resolution)];
  if (shortEdge === undefined) throw invalid('resolution');
  const uploads = items.filter((item) => typeof item !== 'string');
  const ratio = parseRatio(body, uploads.length > 0);
  const size = videoSize(shortEdge, ratio);
  return videoRequest(model, { text, size, seconds, tier: String(resolution), uploads });
}

function parseItem(item: unknown, at: string): string | Upload {
  if (!isObject(item)) throw invalid(at);
  if (item.type === 'text' && typeof item.text === 'string') return item.text;
  const image = isObject(item.image_url) ? item.image_url.url : undefined;
  if (item.type !== 'image_url' || !ROLES.includes(String(item.role))) throw invalid(at);
  return uploadOf(`${at}.image_url`, image, () => invalid(at));
}

/** The ratio `adaptive` is 16:9, whatever the image. */
function parseRatio({ ratio = 'adaptive' }: Json, hasImages: boolean): string {
  if (ratio === 'adaptive' && hasImages) return '16:9';
  if (!RATIOS.includes(String(ratio))) throw invalid('ratio');
  return String(ratio);
}
