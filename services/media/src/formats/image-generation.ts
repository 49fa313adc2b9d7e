import type { ImageRequest } from '../domain/image-request';
import { parseJsonObject } from '../domain/json-object';
import { readImageFields } from './image-fields';
import { generationSchema } from './image-schema';

/** A JSON body. @throws GatewayError `invalid_request`, `missing_parameter` or `invalid_model` */
export function parseImageGeneration(bytes: Buffer): ImageRequest {
  const fields = readImageFields(parseJsonObject(bytes), generationSchema);
  return { ...fields, edit: false, images: [] };
}
