import { GatewayError } from '@gateway/errors';
import {
  isEmpty,
  missingParameter,
  parseJsonObject,
  requireFields,
  safeParse,
  schemaError,
  withoutEmptyModel,
} from '@gateway/json-body';
import { refusalOfLink } from '@gateway/upstream';
import type { ModerationPart, ModerationRequest } from '../../domain/moderation';
import { BODY_BOUNDS } from '../body-bounds';
import { moderationPart, moderationsSchema } from './moderations-schema';

const MAX_INPUTS = 256;
const DATA_URL = /^data:/i;

/** @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model` */
export function parseModerationsRequest(bytes: Buffer): ModerationRequest {
  const value = withoutEmptyModel(parseJsonObject(bytes, BODY_BOUNDS).value);
  const { data: body, error } = safeParse(moderationsSchema, value);
  if (error) throw schemaError(value, error.issues, []);
  const { input } = body;
  const inputs = readInput(input);
  requireFields(value, ['model', 'input']);
  if (!body.model) throw new GatewayError('invalid_model');
  return { model: body.model, ...inputs };
}

/** Returns no inputs for an empty field. */
function readInput(input: unknown): Omit<ModerationRequest, 'model'> {
  if (isEmpty(input)) return { input: '', texts: [], images: 0, results: 0 };
  if (typeof input === 'string') return { input, texts: [input], images: 0, results: 1 };
  if (!Array.isArray(input)) throw wrong('input: must be a text, a list of texts, or a list of parts');
  if (input.length > MAX_INPUTS) throw wrong(`input: more than ${MAX_INPUTS} inputs`);
  if (typeof input[0] !== 'string') return readParts(input);
  const other = input.findIndex((one) => typeof one !== 'string' && !isEmpty(one));
  if (other !== -1) throw wrong(`input[${other}]: must be a text, as the first one`);
  const empty = input.findIndex(isEmpty);
  if (empty !== -1) throw missingParameter(`input[${empty}]`);
  return { input, texts: input, images: 0, results: input.length };
}

function readParts(input: readonly unknown[]): Omit<ModerationRequest, 'model'> {
  const parts = input.map((given, index): ModerationPart => {
    const { data: part, error } = safeParse(moderationPart, given);
    if (error) {
      const issues = error.issues.map((issue) => ({ ...issue, path: ['input', index, ...issue.path] }));
      throw schemaError({ input }, issues, ['text', 'type', 'image_url', 'url']);
    }
    if (part.type === 'text' && part.text === '') throw missingParameter(`input[${index}].text`);
    if (part.type === 'image_url') refusePrivateLink(part.image_url.url, index);
    return part;
  });
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const urls = parts.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []));
  const links = urls.filter((url) => !DATA_URL.test(url));
  return { input: parts, texts, images: urls.length, links, results: 1 };
}

/** The provider fetches links from inside its network. */
function refusePrivateLink(url: string, index: number): void {
  const why = DATA_URL.test(url) ? undefined : refusalOfLink(url);
  if (why) throw wrong(`input[${index}].image_url.url: ${why}`);
}

const wrong = (detail: string): GatewayError => new GatewayError('invalid_request', { detail });
