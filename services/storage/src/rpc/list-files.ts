import { jsonReply, type LinkHandler } from '@gateway/link';
import { parseFilePage } from '../files/rules/file-page';
import type { Files } from '../files/store/files';
import { fileObject } from './file-call';
import type { FreeAdmission } from './response-call';

/** `GET /v1/files`. */
export const listFiles =
  (files: Pick<Files, 'list'>, admitFree: FreeAdmission): LinkHandler =>
  async (context, call) => {
    const page = parseFilePage(call.query ?? '');
    const { headers, reader } = await admitFree(context, call);
    const { files: found, hasMore } = await files.list(reader, page);
    const data = found.map(fileObject);
    const ends = { first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return jsonReply({ object: 'list', data, ...ends, has_more: hasMore }, headers);
  };
