import { createHash } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { LinkCall } from '@gateway/link';
import { gatherBody } from '../calls/gather-body';
import { EDIT_FILES, parseImageEdit } from '../formats/image-edit';
import { parseImageGeneration } from '../formats/image-generation';
import type { FormReader } from '../upload/form-reader';
import type { ImageRequest } from './rules/image-request';

/** A parsed request and its uploaded files. */
export interface ReadImageCall {
  readonly request: ImageRequest;
  /** SHA-256 in hex of what was requested. */
  readonly fingerprint: string;
  /** Deletes its files. */
  close(): Promise<void>;
}

const MAX_JSON_BYTES = 1024 * 1024;
const JSON_TYPE = /^application\/json\s*(;|$)/i;
const FORM_TYPE = /^multipart\/form-data\s*(;|$)/i;
const KINDS = ['png', 'jpeg', 'webp'];

/**
 * Reads a generation (JSON) or an edit (form), as the path allows: `/v1/images` takes both, the aliases one each.
 * @throws GatewayError for anything else, or a malformed request; its files are deleted then
 */
export async function readImageCall(call: LinkCall, forms: Pick<FormReader, 'read'>): Promise<ReadImageCall> {
  const contentType = call.headers['content-type'] ?? '';
  if (JSON_TYPE.test(contentType) && call.path !== '/v1/images/edits') return readGeneration(call);
  if (FORM_TYPE.test(contentType) && call.path !== '/v1/images/generations') return readEdit(call, forms);
  throw new GatewayError('invalid_request', {
    detail: 'Content-Type must be application/json for a generation, multipart/form-data for an edit',
  });
}

async function readGeneration(call: LinkCall): Promise<ReadImageCall> {
  const body = await gatherBody(call, MAX_JSON_BYTES);
  const fingerprint = createHash('sha256').update(body).digest('hex');
  return { request: parseImageGeneration(body), fingerprint, close: async () => {} };
}

async function readEdit(call: LinkCall, forms: Pick<FormReader, 'read'>): Promise<ReadImageCall> {
  const form = await forms.read({
    contentType: call.headers['content-type'] ?? '',
    body: call.bodyStream ?? whole(call.body),
    accountId: call.key.accountId,
    rules: { files: EDIT_FILES, kinds: KINDS },
  });
  try {
    const request = parseImageEdit(form.fields, form.uploads);
    return { request, fingerprint: form.digest, close: () => form.close() };
  } catch (error) {
    await form.close();
    throw error;
  }
}

async function* whole(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}
