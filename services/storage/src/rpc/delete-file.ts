import { GatewayError } from '@gateway/errors';
import { jsonReply, type LinkHandler } from '@gateway/link';
import type { Files } from '../files/store/files';
import type { ContentMetrics } from '../metrics';
import { fileIdOf } from './file-call';
import type { FreeAdmission } from './response-call';

/** `POST /v1/files/{id}/delete`. */
export const deleteFile =
  (files: Pick<Files, 'delete'>, admitFree: FreeAdmission, metrics: ContentMetrics): LinkHandler =>
  async (context, call) => {
    const { headers, reader } = await admitFree(context, call);
    const id = fileIdOf(call.path);
    if (!(await files.delete(reader, id))) throw new GatewayError('not_found');
    metrics.deleted('requested', 1);
    return jsonReply({ id, object: 'file', deleted: true }, headers);
  };
