import type { Pool } from '@gateway/postgres';
import type { ApiKey } from '@gateway/proto/generated/gateway/billing/v1/ApiKey';
import type { RevokeKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/RevokeKeyRequest';
import type { RequestContext } from '@gateway/rpc';
import { revokeKey as revoke } from '../keys/store/change-key';
import { parseLookupId } from './parse';
import { toProtoKey } from './to-proto';

const REASON = 'Revoked by an operator';

export const revokeKey =
  (pool: Pool) =>
  async (_context: RequestContext, request: RevokeKeyRequest__Output): Promise<ApiKey> =>
    toProtoKey(await revoke(pool, parseLookupId(request.id), REASON));
