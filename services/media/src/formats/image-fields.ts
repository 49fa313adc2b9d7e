import { GatewayError } from '@gateway/errors';
import { requireFields, safeParse, schemaError, withoutEmptyModel } from '@gateway/json-body';
import type { ImageRequest } from '../images/rules/image-request';
import { parseImageSize } from '../images/rules/image-size';
import type { editSchema, generationSchema, ImageFields } from './image-schema';
import { invalid } from './invalid';

/** The part of a request that its fields determine. */
export type RequestFields = Omit<ImageRequest, 'edit' | 'images' | 'mask'>;

/**
 * @throws GatewayError `invalid_request` if the schema refuses the value, then `missing_parameter`, then `invalid_model`
 */
export function readImageFields(
  value: Record<string, unknown>,
  schema: typeof generationSchema | typeof editSchema,
): RequestFields {
  const members = withoutEmptyModel(value);
  const result = safeParse(schema, members);
  if (!result.success) throw schemaError(members, result.error.issues, ['prompt']);
  const fields = result.data as ImageFields;
  if (!fields.stream && fields.partial_images) throw invalid('partial_images: only with stream');
  if (fields.stream && fields.response_format === 'url')
    throw invalid('response_format: streams contain images as base64 only');
  const { model, prompt } = fields;
  requireFields(members, ['model', 'prompt']);
  if (!model) throw new GatewayError('invalid_model');
  return {
    model,
    prompt: prompt!,
    ...optionsOf(fields),
    hints: hintsOf(fields),
    unsupportedFields: unsupportedFieldsOf(fields),
  };
}

function optionsOf(fields: ImageFields) {
  const size = fields.size ? parseImageSize(fields.size) : undefined;
  const { quality, background, output_format, output_compression, response_format } = fields;
  return {
    n: fields.n ?? 1,
    ...(size && { size }),
    ...(quality && quality !== 'auto' && { quality }),
    ...(background && background !== 'auto' && { background }),
    ...(output_format && { format: output_format }),
    ...(output_compression != null && { compression: output_compression }),
    ...(response_format && { replyAs: response_format }),
    streamed: fields.stream ?? false,
    ...(fields.partial_images && { partialImages: fields.partial_images }),
  };
}

/** Passed to the providers that support them. */
function hintsOf({ moderation, safety_identifier, user }: ImageFields): Record<string, string> {
  return {
    ...(moderation && { moderation }),
    ...(safety_identifier && { safety_identifier }),
    ...(user && { user }),
  };
}

/** Returns the set fields that have no price or that no model supports. They are refused, not dropped, because they change the result. */
function unsupportedFieldsOf(fields: ImageFields): string[] {
  const { style, svg, complexity, frame_count, frame_duration_ms, input_fidelity } = fields;
  const set = { style, svg, complexity, frame_count, frame_duration_ms };
  const names = Object.entries(set).flatMap(([name, value]) => (value == null ? [] : [name]));
  // `low` is the default.
  return input_fidelity === 'high' ? [...names, 'input_fidelity'] : names;
}
