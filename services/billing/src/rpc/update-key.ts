import type { Pool } from '@gateway/postgres';
import type { ApiKey } from '@gateway/proto/generated/gateway/billing/v1/ApiKey';
import type { UpdateKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/UpdateKeyRequest';
import type { RequestContext } from '@gateway/rpc';
import { updateKey as update } from '../keys/store/change-key';
import {
  fromProtoChanger,
  parseAddressRanges,
  parseChange,
  parseLimit,
  parseLookupId,
  parseModels,
  parseName,
  parseRateLimit,
  parseScopes,
  parseTime,
} from './parse';
import { toProtoKey } from './to-proto';

export const updateKey =
  (pool: Pool) =>
  async (_context: RequestContext, request: UpdateKeyRequest__Output): Promise<ApiKey> => {
    const lifts = new Set(request.lift);
    const change = {
      name: request.name === undefined ? undefined : parseName(request.name, 'name'),
      allowedModels: request.setAllowedModels
        ? parseModels(request.allowedModels, 'allowed_models')
        : undefined,
      expiresAtMs: parseChange(
        lifts.has('KEY_LIMIT_EXPIRES_AT'),
        parseTime(request.expiresAtMs, 'expires_at'),
        'expires_at',
      ),
      dailyLimitNano: parseChange(
        lifts.has('KEY_LIMIT_DAILY'),
        parseLimit(request.dailyLimitNano, 'daily_limit'),
        'daily_limit',
      ),
      monthlyLimitNano: parseChange(
        lifts.has('KEY_LIMIT_MONTHLY'),
        parseLimit(request.monthlyLimitNano, 'monthly_limit'),
        'monthly_limit',
      ),
      requestCostLimitNano: parseChange(
        lifts.has('KEY_LIMIT_REQUEST_COST'),
        parseLimit(request.requestCostLimitNano, 'request_cost_limit'),
        'request_cost_limit',
      ),
      rpmLimit: parseChange(
        lifts.has('KEY_LIMIT_RPM'),
        parseRateLimit(request.rpmLimit, 'rpm_limit'),
        'rpm_limit',
      ),
      tpmLimit: parseChange(
        lifts.has('KEY_LIMIT_TPM'),
        parseRateLimit(request.tpmLimit, 'tpm_limit'),
        'tpm_limit',
      ),
      bareModelNames: parseChange(
        lifts.has('KEY_LIMIT_BARE_MODEL_NAMES'),
        request.bareModelNames ?? null,
        'bare_model_names',
      ),
      noFallbackModels: request.noFallbackModels,
      dropUnsupportedTools: request.dropUnsupportedTools,
      detailedMessages: request.detailedMessages,
      scopes: request.setScopes ? parseScopes(request.scopes, 'scopes') : undefined,
      allowedIps: request.setAllowedIps ? parseAddressRanges(request.allowedIps, 'allowed_ips') : undefined,
    };
    const [accountId, id] = [parseLookupId(request.accountId), parseLookupId(request.id)];
    const row = await update(pool, accountId, id, change, fromProtoChanger(request.by));
    return toProtoKey(row);
  };
