import type { Size } from '../../domain/files/size';
import { isObject, type Json } from '../json';
import { isModelName } from '../model-name';
import type { TaskRequest } from '../task-protocol';
import { uploadsOf } from '../upload';
import { videoRequest, videoSize } from '../video-request';
import { invalid } from './error';

const INPUT_FIELDS = new Set(['prompt', 'negative_prompt', 'img_url', 'first_frame_url', 'last_frame_url']);
const IMAGES = ['img_url', 'first_frame_url', 'last_frame_url'];
const PARAMETERS = new Set([
  'size',
  'resolution',
  'ratio',
  'duration',
  'prompt_extend',
  'shot_type',
  'audio',
  'seed',
  'watermark',
]);
const RESOLUTIONS = ['480P', '720P', '1080P'];
const RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4'];
const MAX_PROMPT_CHARS = 5_000;
const SECONDS = { min: 2, max: 15, usual: 5 };

/** Body of POST …/video-synthesis, after Model Studio's "Wan text-to-video API reference". @throws ProviderError */
export function parseVideoRequest(body: unknown): TaskRequest {
  if (!isObject(body)) throw invalid('The request body is not an object.');
  const { model, input, parameters = {} } = body;
  if (!isModelName(model)) throw invalid('Model not exist.');
  if (!isObject(input) || !isObject(parameters)) throw invalid('input is required.');
  checkFields(input, INPUT_FIELDS, 'input');
  checkFields(parameters, PARAMETERS, 'parameters');
  const { prompt = '' } = input;
  const uploads = uploadsOf(input, IMAGES, (field) => invalid(`${field} is not valid.`));
  if (typeof prompt !== 'string' || prompt.length > MAX_PROMPT_CHARS) throw invalid('prompt is not valid.');
  if (prompt === '' && uploads.length === 0) throw invalid('prompt is required.');
  const seconds = parameters.duration ?? SECONDS.usual;
  if (!Number.isInteger(seconds) || Number(seconds) < SECONDS.min || Number(seconds) > SECONDS.max) {
    throw invalid('duration is not valid.');
  }
  const { size, tier } = parseSize(parameters);
  return videoRequest(model, { text: prompt, size, seconds: Number(seconds), tier, uploads });
}

function checkFields(values: Json, known: ReadonlySet<string>, at: string): void {
  const stray = Object.keys(values).find((field) => !known.has(field));
  if (stray !== undefined) throw invalid(`${at}.${stray} is not known.`);
}

/** Text-to-video has a size such as `1280*720`, image-to-video a resolution. The tier, by area, determines the price. */
function parseSize({ size, resolution = '720P', ratio = '16:9' }: Json): { size: Size; tier: string } {
  if (size === undefined) {
    const tier = String(resolution);
    if (!RESOLUTIONS.includes(tier)) throw invalid('resolution is not valid.');
    if (!RATIOS.includes(String(ratio))) throw invalid('ratio is not valid.');
    return { size: videoSize(Number.parseInt(tier, 10), String(ratio)), tier };
  }
  const [, width = 0, height = 0] = (/^(\d{3,4})\*(\d{3,4})$/.exec(String(size)) ?? []).map(Number);
  const tier = TIERS.find(({ pixels }) => Math.abs(width * height - pixels) <= pixels / 8)?.tier;
  if (tier === undefined) throw invalid('size is not valid.');
  return { size: { width, height }, tier };
}

// Sizes of one tier have different ratios and about the same area: 1280*720, 960*960, 1088*832.
const TIERS = [
  { tier: '480P', pixels: 832 * 480 },
  { tier: '720P', pixels: 1280 * 720 },
  { tier: '1080P', pixels: 1920 * 1080 },
];
