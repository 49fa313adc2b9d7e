import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { AddKeyValueRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/AddKeyValueRequest';
import type { AddKeyValueResponse } from '@gateway/proto/generated/gateway/billing/v1/AddKeyValueResponse';
import type { RequestContext } from '@gateway/rpc';
import { addKeyValue as add } from '../directory/store/directory';
import { isWellFormedKeyValue, keyValueMac } from '../keys/rules/key-value';
import { parseLookupId } from './parse';

export const addKeyValue =
  (pool: Pool, pepper: string) =>
  async (
    _context: RequestContext,
    { accountId, value }: AddKeyValueRequest__Output,
  ): Promise<AddKeyValueResponse> => {
    if (!isWellFormedKeyValue(value)) throw new GatewayError('invalid_request');
    await add(pool, keyValueMac(value, pepper), parseLookupId(accountId));
    return {};
  };
