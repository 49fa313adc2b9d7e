import type { Pool } from '@gateway/postgres';
import type { ListAllRequestsRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ListAllRequestsRequest';
import type { ListRequestsResponse } from '@gateway/proto/generated/gateway/billing/v1/ListRequestsResponse';
import type { RequestContext } from '@gateway/rpc';
import { findAccountOfKey } from '../keys/store/keys';
import { pageOfRequests } from './list-requests';
import { parseLookupId } from './parse';

/** For operators: lists requests of all accounts, or of the account in the filter. */
export const listAllRequests =
  (pool: Pool) =>
  async (
    _context: RequestContext,
    { filter }: ListAllRequestsRequest__Output,
  ): Promise<ListRequestsResponse> => {
    const { accountId, keyId } = filter!;
    if (accountId !== '') return pageOfRequests(pool, parseLookupId(accountId), filter!);
    // The index for a key's requests starts with its account.
    const ofKey = keyId === '' ? undefined : await findAccountOfKey(pool, parseLookupId(keyId));
    if (keyId !== '' && ofKey === undefined) return { requests: [], nextCursor: '' };
    return pageOfRequests(pool, ofKey, filter!);
  };
