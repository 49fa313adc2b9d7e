import type { Pool } from '@gateway/postgres';
import type { ApiKey } from '@gateway/proto/generated/gateway/billing/v1/ApiKey';
import type { SetKeyEnabledRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/SetKeyEnabledRequest';
import type { RequestContext } from '@gateway/rpc';
import { setKeyEnabled as set } from '../keys/store/change-key';
import { fromProtoChanger, parseLookupId } from './parse';
import { toProtoKey } from './to-proto';

export const setKeyEnabled =
  (pool: Pool) =>
  async (_context: RequestContext, request: SetKeyEnabledRequest__Output): Promise<ApiKey> => {
    const [accountId, id] = [parseLookupId(request.accountId), parseLookupId(request.id)];
    return toProtoKey(await set(pool, accountId, id, request.enabled, fromProtoChanger(request.by)));
  };
