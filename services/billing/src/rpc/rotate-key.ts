import type { Pool } from '@gateway/postgres';
import type { CreateKeyResponse } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyResponse';
import type { RotateKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/RotateKeyRequest';
import type { RequestContext } from '@gateway/rpc';
import { newKeyValue } from '../keys/rules/key-value';
import { onlyHolder } from '../keys/rules/owner-limits';
import { rotateKey as rotate } from '../keys/store/replace-key-value';
import { fromProtoChanger, parseGrace, parseLookupId } from './parse';
import { toProtoKey } from './to-proto';

export const rotateKey =
  (pool: Pool, pepper: string) =>
  async (_context: RequestContext, request: RotateKeyRequest__Output): Promise<CreateKeyResponse> => {
    const { value, ...parts } = newKeyValue(pepper);
    const kept = { ...parts, holderIds: onlyHolder(fromProtoChanger(request.by)) };
    const grace = parseGrace(request.graceSeconds);
    const row = await rotate(pool, parseLookupId(request.accountId), parseLookupId(request.id), kept, grace);
    return { key: toProtoKey(row), value };
  };
