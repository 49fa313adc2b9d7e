import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { RevokeLeakedValueRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/RevokeLeakedValueRequest';
import type { RevokeLeakedValueResponse } from '@gateway/proto/generated/gateway/billing/v1/RevokeLeakedValueResponse';
import type { RequestContext } from '@gateway/rpc';
import { isWellFormedKeyValue, keyValueMac } from '../keys/rules/key-value';
import { type LeakedValueOutcome, revokeLeakedValue as revoke } from '../keys/store/change-key';
import { findAnyKeyByMacs } from '../keys/store/keys';
import type { KeyWatchers } from './key-watchers';
import { parseText } from './parse';
import { toProtoKey } from './to-proto';

const MAX_REASON = 500;

const OUTCOME = {
  key_revoked: 'LEAKED_VALUE_OUTCOME_KEY_REVOKED',
  value_ended: 'LEAKED_VALUE_OUTCOME_VALUE_ENDED',
  unchanged: 'LEAKED_VALUE_OUTCOME_UNCHANGED',
} as const satisfies Record<LeakedValueOutcome, string>;

export const revokeLeakedValue =
  (pool: Pool, peppers: readonly string[], watchers: Pick<KeyWatchers, 'afterNotifying'>) =>
  async (
    _context: RequestContext,
    { value, reason }: RevokeLeakedValueRequest__Output,
  ): Promise<RevokeLeakedValueResponse> => {
    if (!isWellFormedKeyValue(value)) throw new GatewayError('not_found');
    const why = parseText(reason, 'reason', MAX_REASON);
    const macs = peppers.map((pepper) => keyValueMac(value, pepper));
    const found = await findAnyKeyByMacs(pool, macs);
    if (!found) throw new GatewayError('not_found');
    if (found.status === 'deleted' || found.status === 'revoked') {
      return { key: toProtoKey(found), outcome: OUTCOME.unchanged };
    }
    const { key, outcome } = await watchers.afterNotifying(found.id, () => revoke(pool, found, macs, why));
    return { key: toProtoKey(key), outcome: OUTCOME[outcome] };
  };
