import { GatewayError } from '@gateway/errors';
import type { LinkHandler, LinkReply } from '@gateway/link';
import type { Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import type { ContentReader } from '../domain/content-reader';
import type { Files } from '../files/store/files';
import { fileIdOf } from './file-call';
import type { FreeAdmission } from './response-call';

export interface FileReads {
  readonly files: Pick<Files, 'open'>;
  /** Limits the files being sent, in all and per account. */
  readonly quota: Quota;
}

/** `GET /v1/files/{id}/content`. */
export const getFileContent =
  (reads: FileReads, admitFree: FreeAdmission): LinkHandler =>
  async (context, call) => {
    const { headers, reader } = await admitFree(context, call);
    const withType = { ...headers, 'content-type': 'application/octet-stream' };
    return contentReply(reads, context, reader, fileIdOf(call.path), withType);
  };

/**
 * Returns a reply with the content of a file. A damaged file is cut off where the damage is, because it is sent as it is read.
 * @throws GatewayError `not_found`; `rate_limited` if too many files are being sent
 */
export async function contentReply(
  { files, quota }: FileReads,
  { signal }: RequestContext,
  reader: ContentReader,
  id: string,
  headers: Readonly<Record<string, string>>,
): Promise<LinkReply> {
  const release = quota.lease(reader.accountId);
  try {
    const found = await files.open(reader, id);
    if (!found) throw new GatewayError('not_found');
    const { bytes, content } = found;
    return {
      status: 200,
      headers: { ...headers, 'content-length': String(bytes) },
      body: wanted(content, signal, release),
    };
  } catch (error) {
    release();
    throw error;
  }
}

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
