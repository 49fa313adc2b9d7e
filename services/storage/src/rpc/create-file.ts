import { GatewayError } from '@gateway/errors';
import { jsonReply, type LinkHandler } from '@gateway/link';
import type { Files } from '../files/store/files';
import { readFileForm } from '../files/upload/read-file-form';
import type { ContentMetrics } from '../metrics';
import { fileObject } from './file-call';
import type { FreeAdmission } from './response-call';

export interface CreateFileDeps {
  /** Absent: files are not stored. */
  readonly files: Pick<Files, 'save'> | undefined;
  readonly maxFileBytes: number;
  readonly admitFree: FreeAdmission;
  readonly metrics: ContentMetrics;
}

/** `POST /v1/files`. */
export const createFile =
  ({ files, maxFileBytes, admitFree, metrics }: CreateFileDeps): LinkHandler =>
  async (context, call) => {
    const { 'content-type': contentType = '' } = call.headers;
    const { bodyStream: body } = call;
    if (!files) throw invalid('files are not stored here');
    // Edge streams forms, and nothing else.
    if (!body) throw invalid('Content-Type must be multipart/form-data');
    const { headers } = await admitFree(context, call, { stores: true });
    const saved = await files.save(call.key, `file-${context.requestId}`, (put) =>
      readFileForm({ contentType, body, maxFileBytes }, put),
    );
    metrics.saved(saved.bytes);
    return jsonReply(fileObject(saved), headers);
  };

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
