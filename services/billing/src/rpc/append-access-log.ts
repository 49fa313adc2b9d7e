import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { AccessLogEntry__Output } from '@gateway/proto/generated/gateway/billing/v1/AccessLogEntry';
import type { AppendAccessLogRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/AppendAccessLogRequest';
import type { AppendAccessLogResponse } from '@gateway/proto/generated/gateway/billing/v1/AppendAccessLogResponse';
import type { RequestContext } from '@gateway/rpc';
import { isUuid } from '../reserve/rules/request-id';
import { type AccessLogEntry, appendAccessLog as append } from '../usage/store/access-log';
import { parseText, parseTime } from './parse';

const MAX_ENTRIES = 2_000;
const MAX_TEXT = 256;

export const appendAccessLog =
  (pool: Pool) =>
  async (
    _context: RequestContext,
    { entries }: AppendAccessLogRequest__Output,
  ): Promise<AppendAccessLogResponse> => {
    if (entries.length > MAX_ENTRIES) {
      throw new GatewayError('invalid_request', { detail: `more than ${MAX_ENTRIES} entries` });
    }
    if (entries.length > 0) await append(pool, entries.map(fromProtoEntry));
    return {};
  };

function fromProtoEntry(entry: AccessLogEntry__Output): AccessLogEntry {
  if (!isUuid(entry.requestId))
    throw new GatewayError('invalid_request', { detail: 'request_id is not a UUID' });
  const text = (name: 'accountId' | 'keyId' | 'userId' | 'method' | 'path' | 'errorCode') =>
    parseText(entry[name], name, MAX_TEXT);
  return {
    requestId: entry.requestId,
    accountId: text('accountId'),
    keyId: text('keyId'),
    userId: text('userId'),
    method: text('method'),
    path: text('path'),
    status: entry.status,
    errorCode: text('errorCode'),
    startedAtMs: Number(parseTime(entry.startedAtMs, 'started_at_ms')),
    endedAtMs: Number(parseTime(entry.endedAtMs, 'ended_at_ms')),
  };
}
