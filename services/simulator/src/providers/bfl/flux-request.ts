import type { Upload } from '../../domain/media-usage';
import { textPrompt } from '../../domain/prompt';
import type { Job } from '../../domain/task';
import { isObject, type Json } from '../json';
import type { TaskRequest } from '../task-protocol';
import { uploadsOf } from '../upload';
import { invalid } from './error';
import { inputMegapixels } from './megapixels';

const FIELDS = new Set([
  'prompt',
  'seed',
  'width',
  'height',
  'aspect_ratio',
  'safety_tolerance',
  'output_format',
  'prompt_upsampling',
  'raw',
  'steps',
  'guidance',
]);
const INPUT_IMAGE = /^input_image(_[2-8])?$/;
const MAX_PROMPT_CHARS = 50_000;
const MIN_EDGE = 64;
const MAX_PIXELS = 4_194_304;
const DEFAULT_EDGE = 1_024;

/** Body of POST /v1/{model}, after docs.bfl.ai, "Generate or edit an image with FLUX.2 [pro]". @throws ProviderError */
export function parseFluxRequest(body: unknown, model: string): TaskRequest {
  if (!isObject(body)) throw invalid('body', 'Input should be a valid dictionary');
  const stray = Object.keys(body).find((field) => !FIELDS.has(field) && !INPUT_IMAGE.test(field));
  // Webhooks are not simulated, and the caller might depend on a field that the simulator would ignore.
  if (stray !== undefined) throw invalid(stray, 'Extra inputs are not permitted');
  const { prompt } = body;
  if (typeof prompt !== 'string' || prompt === '') throw invalid('prompt', 'Field required');
  if (prompt.length > MAX_PROMPT_CHARS) throw invalid('prompt', 'String is too long');
  const tolerance = body.safety_tolerance ?? 2;
  if (!Number.isInteger(tolerance) || Number(tolerance) < 0 || Number(tolerance) > 6) {
    throw invalid('safety_tolerance', 'Input should be from 0 to 6');
  }
  const job: Job = {
    text: prompt,
    format: parseFormat(body.output_format ?? 'jpeg'),
    size: parseSize(body),
    seconds: 0,
    tier: null,
    uploads: parseUploads(body),
  };
  return { model, stream: false, prompt: textPrompt(prompt), job };
}

function parseFormat(format: unknown): 'jpeg' | 'png' {
  if (format === 'jpeg' || format === 'png') return format;
  throw invalid('output_format', "Input should be 'jpeg' or 'png'");
}

function parseSize(body: Json): Job['size'] {
  const edge = (field: 'width' | 'height') => {
    const value = body[field] ?? 0;
    if (!Number.isInteger(value)) throw invalid(field, 'Input should be a valid integer');
    if (value !== 0 && Number(value) < MIN_EDGE) {
      throw invalid(field, `Input should be greater than or equal to ${MIN_EDGE}`);
    }
    return Number(value) || DEFAULT_EDGE;
  };
  const size = { width: edge('width'), height: edge('height') };
  if (size.width * size.height > MAX_PIXELS) throw invalid('width', 'At most 4 megapixels');
  return size;
}

function parseUploads(body: Json): Upload[] {
  const fields = Object.keys(body).filter((field) => INPUT_IMAGE.test(field));
  const uploads = uploadsOf(body, fields, (field) => invalid(field, 'Invalid image'));
  return uploads.map((upload) => ({ ...upload, megapixels: inputMegapixels(String(body[upload.part])) }));
}
