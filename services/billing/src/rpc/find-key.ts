import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { FindKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/FindKeyRequest';
import type { FindKeyResponse } from '@gateway/proto/generated/gateway/billing/v1/FindKeyResponse';
import type { RequestContext } from '@gateway/rpc';
import { isWellFormedKeyValue, keyValueMac } from '../keys/rules/key-value';
import { findAnyKeyByMacs } from '../keys/store/keys';
import { toProtoKey } from './to-proto';

export const findKey =
  (pool: Pool, peppers: readonly string[]) =>
  async (_context: RequestContext, { value }: FindKeyRequest__Output): Promise<FindKeyResponse> => {
    if (!isWellFormedKeyValue(value)) {
      throw new GatewayError('invalid_request', {
        detail: 'value: not a complete key of this gateway',
      });
    }
    const row = await findAnyKeyByMacs(
      pool,
      peppers.map((pepper) => keyValueMac(value, pepper)),
    );
    if (!row) throw new GatewayError('not_found');
    const endsAtMs = row.retires_at_ms;
    return { key: toProtoKey(row), ...(endsAtMs !== null && { valueEndsAtMs: String(endsAtMs) }) };
  };
