import { randomUUIDv7 } from 'node:crypto';
import { GatewayError } from '@gateway/proto';
import type { CreateKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyRequest';
import type { CreateKeyResponse } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyResponse';
import type { Pool, RequestContext } from '@gateway/runtime';
import { keyValueHint, keyValueMac, mintKeyValue } from '../domain/key-value';
import { insertKey } from '../store/keys';
import { parseId, parseLimit, parseLookupId, parseName, parseTime } from './parse';
import { toProtoKey } from './to-proto';

const MAX_MODELS = 500;

export const createKey =
  (pool: Pool, pepper: string) =>
  async (_context: RequestContext, request: CreateKeyRequest__Output): Promise<CreateKeyResponse> => {
    const { allowedModels } = request;
    if (allowedModels.length > MAX_MODELS) {
      throw new GatewayError('invalid_request', { detail: 'allowed_models is too long' });
    }
    const value = mintKeyValue();
    const row = await insertKey(pool, {
      id: `key_${randomUUIDv7()}`,
      accountId: parseLookupId(request.accountId),
      name: parseName(request.name, 'name'),
      mac: keyValueMac(value, pepper),
      hint: keyValueHint(value),
      expiresAtMs: parseTime(request.expiresAtMs, 'expires_at'),
      allowedModels: allowedModels.map((model) => parseId(model, 'allowed_models')),
      dailyLimitNano: parseLimit(request.dailyLimitNano, 'daily_limit'),
      monthlyLimitNano: parseLimit(request.monthlyLimitNano, 'monthly_limit'),
      requestCostLimitNano: parseLimit(request.requestCostLimitNano, 'request_cost_limit'),
      rpmLimit: parseLimit(request.rpmLimit, 'rpm_limit'),
      tpmLimit: parseLimit(request.tpmLimit, 'tpm_limit'),
    });
    return { key: toProtoKey(row), value };
  };
