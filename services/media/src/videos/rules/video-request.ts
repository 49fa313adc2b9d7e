import { GatewayError } from '@gateway/errors';
import { requireFields, safeParse, schemaError, withoutEmptyModel } from '@gateway/json-body';
import { refusalOfLink } from '@gateway/upstream';
import { z } from 'zod';
import { requireParts } from '../../domain/require-parts';
import type { MediaFile, Upload } from '../../domain/upload';
import { inlineFile } from './inline-file';

/** A request in the caller's own terms. Absent: the model's default. */
export interface VideoRequest {
  readonly model: string;
  readonly prompt: string;
  readonly tier?: string;
  readonly seconds?: number;
  readonly resolution?: string;
  readonly aspectRatio?: string;
  /** In the caller's order. */
  readonly images: readonly MediaFile[];
}

/** Names of form parts with reference images; each may be repeated. */
export const REFERENCE_PARTS: readonly string[] = [
  'reference_images',
  'reference_images[]',
  'reference_image',
  'image',
  'image[]',
  'input_reference',
];
export const FORM_FIELDS: readonly string[] = [
  'model',
  'prompt',
  'tier',
  'duration',
  'resolution',
  'aspect_ratio',
];

const MAX_PROMPT_CHARS = 100_000;
const MAX_IMAGES = 16;
const MAX_LINK_CHARS = 2_048;
const DECIMAL = /^\d{1,15}(\.\d{1,15})?$/;

/** An invalid size or ratio is the caller's error; which ones exist depends on the model. */
const resolution = z
  .string()
  .regex(/^[1-9]\d{0,4}([pPkK]|[x*][1-9]\d{0,4})?$/, 'not a resolution, as in 720p');
const aspectRatio = z.string().regex(/^[1-9]\d{0,2}:[1-9]\d{0,2}$/, 'not a ratio, as in 16:9');
const image = z.string().superRefine((text, context) => {
  const message = refusalOfImage(text);
  if (message) context.addIssue({ code: 'custom', message });
});

export const videoRequestSchema = z.strictObject({
  model: z.string().nullable(),
  prompt: z
    .string()
    .max(MAX_PROMPT_CHARS)
    .refine((text) => text.isWellFormed(), 'not well-formed Unicode'),
  tier: z.string().nullish(),
  duration: z.number().positive().nullish(),
  resolution: resolution.nullish(),
  aspect_ratio: aspectRatio.nullish(),
  reference_images: z.array(image).max(MAX_IMAGES).nullish(),
});

/**
 * @param value a JSON body
 * @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model`
 */
export function parseVideoRequest(value: Readonly<Record<string, unknown>>): VideoRequest {
  return toRequest(value, []);
}

/**
 * The same for a form: its fields are text, its images are files.
 * @throws GatewayError `invalid_request`, then `invalid_model`
 */
export function parseVideoForm(fields: ReadonlyMap<string, string>, images: readonly Upload[]): VideoRequest {
  requireParts(fields);
  const value: Record<string, unknown> = Object.fromEntries(fields);
  // Anything else stays text, which is not a valid duration.
  if (DECIMAL.test(`${value.duration}`)) value.duration = Number(value.duration);
  if (Object.hasOwn(value, 'reference_images')) {
    throw new GatewayError('invalid_request', { detail: 'reference_images: not a file' });
  }
  return toRequest(value, images);
}

function toRequest(value: Readonly<Record<string, unknown>>, uploads: readonly Upload[]): VideoRequest {
  const members = withoutEmptyModel(value);
  const { data, error } = safeParse(videoRequestSchema, members);
  if (error) throw schemaError(members, error.issues, ['prompt']);
  requireFields(members, ['model', 'prompt']);
  if (!data.model) throw new GatewayError('invalid_model');
  const links = (data.reference_images ?? []).map(
    (text): MediaFile => inlineFile('reference_images', text) ?? { url: text },
  );
  return {
    model: data.model,
    prompt: data.prompt,
    ...(data.tier != null && { tier: data.tier }),
    ...(data.duration != null && { seconds: data.duration }),
    ...(data.resolution != null && { resolution: data.resolution }),
    ...(data.aspect_ratio != null && { aspectRatio: data.aspect_ratio }),
    images: [...uploads, ...links],
  };
}

function refusalOfImage(text: string): string | undefined {
  if (text.startsWith('data:')) {
    return inlineFile('reference_images', text) ? undefined : 'not a data URL of a PNG, JPEG or WebP image';
  }
  if (text.length > MAX_LINK_CHARS) return `the link is longer than ${MAX_LINK_CHARS} characters`;
  return refusalOfLink(text);
}
