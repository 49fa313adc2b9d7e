import { createHash } from 'node:crypto';
import { parseJsonObject } from '@gateway/json-body';
import type { LinkCall } from '@gateway/link';
import { BODY_BOUNDS } from '../domain/body-bounds';
import type { FormRules } from '../upload/form';
import type { FormReader } from '../upload/form-reader';
import { parseVideoForm, parseVideoRequest, REFERENCE_PARTS, type VideoRequest } from './rules/video-request';

/** Under any name: at most as many files as a form may have. */
const MAX_FILES = 16;

const RULES: FormRules = {
  files: Object.fromEntries(REFERENCE_PARTS.map((name) => [name, MAX_FILES])),
  kinds: ['png', 'jpeg', 'webp'],
};

/** A call as it was sent. */
export interface ReadVideoCall {
  readonly request: VideoRequest;
  /** Equal for calls with the same request. */
  readonly fingerprint: string;
  /** Deletes its files. */
  close(): Promise<void>;
}

/** @throws GatewayError after deleting its files */
export async function readVideoCall(forms: Pick<FormReader, 'read'>, call: LinkCall): Promise<ReadVideoCall> {
  const { body, bodyStream, key, headers } = call;
  if (!bodyStream) {
    const request = parseVideoRequest(parseJsonObject(body, BODY_BOUNDS).value);
    const fingerprint = createHash('sha256').update(body).digest('hex');
    return { request, fingerprint, close: async () => {} };
  }
  const form = await forms.read({
    contentType: headers['content-type'] ?? '',
    body: bodyStream,
    accountId: key.accountId,
    rules: RULES,
  });
  try {
    return {
      request: parseVideoForm(form.fields, form.uploads),
      fingerprint: form.digest,
      close: form.close,
    };
  } catch (error) {
    await form.close();
    throw error;
  }
}
