import { GatewayError } from '@gateway/errors';
import { jsonReply, type LinkHandler } from '@gateway/link';
import type { Files } from '../files/store/files';
import { fileIdOf, fileObject } from './file-call';
import type { FreeAdmission } from './response-call';

/** `GET /v1/files/{id}`. */
export const getFile =
  (files: Pick<Files, 'find'>, admitFree: FreeAdmission): LinkHandler =>
  async (context, call) => {
    const { headers, reader } = await admitFree(context, call);
    const found = await files.find(reader, fileIdOf(call.path));
    if (!found) throw new GatewayError('not_found');
    return jsonReply(fileObject(found), headers);
  };
