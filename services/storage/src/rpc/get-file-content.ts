import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import type { Quota } from '@gateway/quota';
import type { Files } from '../files/store/files';
import { fileIdOf } from './file-call';
import type { FreeAdmission } from './response-call';

/**
 * `GET /v1/files/{id}/content`. A damaged file is cut off where the damage is, because it is sent as it is read.
 * @param reads limits the files being sent, in all and per account
 */
export const getFileContent =
  (files: Pick<Files, 'open'>, admitFree: FreeAdmission, reads: Quota): LinkHandler =>
  async (context, { key, path }) => {
    const headers = await admitFree(context, key);
    const release = reads.lease(key.accountId);
    try {
      const found = await files.open(key.accountId, fileIdOf(path));
      if (!found) throw new GatewayError('not_found');
      const { bytes, content } = found;
      return {
        status: 200,
        headers: { ...headers, 'content-type': 'application/octet-stream', 'content-length': String(bytes) },
        body: wanted(content, context.signal, release),
      };
    } catch (error) {
      release();
      throw error;
    }
  };

/** Ends when the caller has left: the rest would be read for nobody. */
async function* wanted(content: AsyncIterable<Buffer>, left: AbortSignal, onOver: () => void) {
  try {
    for await (const bytes of content) {
      if (left.aborted) return;
      yield bytes;
    }
  } finally {
    onOver();
  }
}
