import { randomUUIDv7 } from 'node:crypto';
import type { Pool } from '@gateway/postgres';
import type { CreateKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyRequest';
import type { CreateKeyResponse } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyResponse';
import type { RequestContext } from '@gateway/rpc';
import { newKeyValue } from '../keys/rules/key-value';
import { onlyHolder, ownerLimitsAfter } from '../keys/rules/owner-limits';
import { limitChanges } from '../keys/store/change-key';
import { insertKey } from '../keys/store/keys';
import {
  fromProtoChanger,
  parseAddressRanges,
  parseLimit,
  parseLookupId,
  parseModels,
  parseName,
  parseRateLimit,
  parseScopes,
  parseTime,
} from './parse';
import { toProtoKey } from './to-proto';

export const createKey =
  (pool: Pool, pepper: string) =>
  async (_context: RequestContext, request: CreateKeyRequest__Output): Promise<CreateKeyResponse> => {
    const { value, mac, hint } = newKeyValue(pepper);
    const by = fromProtoChanger(request.by);
    const limits = {
      expiresAtMs: parseTime(request.expiresAtMs, 'expires_at'),
      allowedModels: parseModels(request.allowedModels, 'allowed_models'),
      dailyLimitNano: parseLimit(request.dailyLimitNano, 'daily_limit'),
      monthlyLimitNano: parseLimit(request.monthlyLimitNano, 'monthly_limit'),
      requestCostLimitNano: parseLimit(request.requestCostLimitNano, 'request_cost_limit'),
      rpmLimit: parseRateLimit(request.rpmLimit, 'rpm_limit'),
      tpmLimit: parseRateLimit(request.tpmLimit, 'tpm_limit'),
      scopes: parseScopes(request.scopes, 'scopes'),
      allowedIps: parseAddressRanges(request.allowedIps, 'allowed_ips'),
    };
    const row = await insertKey(pool, {
      ...limits,
      id: `key_${randomUUIDv7()}`,
      accountId: parseLookupId(request.accountId),
      name: parseName(request.name, 'name'),
      mac,
      hint,
      bareModelNames: request.bareModelNames ?? null,
      noFallbackModels: request.noFallbackModels,
      dropUnsupportedTools: request.dropUnsupportedTools,
      detailedMessages: request.detailedMessages,
      ownerLimits: ownerLimitsAfter([], limitChanges(limits), by),
      holderIds: onlyHolder(by),
    });
    return { key: toProtoKey(row), value };
  };
