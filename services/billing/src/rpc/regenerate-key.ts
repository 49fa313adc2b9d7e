import type { Pool } from '@gateway/postgres';
import type { CreateKeyResponse } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyResponse';
import type { RegenerateKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/RegenerateKeyRequest';
import type { RequestContext } from '@gateway/rpc';
import { newKeyValue } from '../keys/rules/key-value';
import { onlyHolder } from '../keys/rules/owner-limits';
import { regenerateKey as regenerate } from '../keys/store/replace-key-value';
import { fromProtoChanger, parseLookupId } from './parse';
import { toProtoKey } from './to-proto';

export const regenerateKey =
  (pool: Pool, pepper: string) =>
  async (_context: RequestContext, request: RegenerateKeyRequest__Output): Promise<CreateKeyResponse> => {
    const { value, ...parts } = newKeyValue(pepper);
    const kept = { ...parts, holderIds: onlyHolder(fromProtoChanger(request.by)) };
    const row = await regenerate(pool, parseLookupId(request.accountId), parseLookupId(request.id), kept);
    return { key: toProtoKey(row), value };
  };
