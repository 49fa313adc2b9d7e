import type { ChangedBy } from '@gateway/proto/generated/gateway/billing/v1/ChangedBy';
import type { CreateKeyRequest } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyRequest';
import type { KeyLimit } from '@gateway/proto/generated/gateway/billing/v1/KeyLimit';
import type { UpdateKeyRequest } from '@gateway/proto/generated/gateway/billing/v1/UpdateKeyRequest';
import type { z } from 'zod';
import type { createKeyBody, updateKeyBody } from '../api/keys';
import type { User } from '../domain/user';

type Limits = z.output<typeof updateKeyBody>;

export function toCreateKeyRequest(user: User, given: z.output<typeof createKeyBody>): CreateKeyRequest {
  const { name, allowed_models } = given;
  return {
    accountId: user.accountId,
    name,
    allowedModels: allowed_models ?? [],
    scopes: given.scopes ?? [],
    allowedIps: given.allowed_ips ?? [],
    by: changedBy(user),
    ...toProtoLimits(given),
  };
}

/** Omitted limits stay unchanged; null removes a limit. */
export function toUpdateKeyRequest(user: User, id: string, given: Limits): UpdateKeyRequest {
  const { name, allowed_models, scopes, allowed_ips } = given;
  return {
    accountId: user.accountId,
    id,
    by: changedBy(user),
    ...(name !== undefined && { name }),
    ...(allowed_models !== undefined && { setAllowedModels: true, allowedModels: allowed_models ?? [] }),
    ...(scopes !== undefined && { setScopes: true, scopes: scopes ?? [] }),
    ...(allowed_ips !== undefined && { setAllowedIps: true, allowedIps: allowed_ips ?? [] }),
    ...toProtoLimits(given),
    lift: LIFTED_BY.filter(([field]) => given[field] === null || given[field] === '').map(
      ([, limit]) => limit,
    ),
  };
}

/** For billing, which keeps members from changing what an owner has limited. */
export const changedBy = ({ id, role }: User): ChangedBy => ({ userId: id, isMember: role !== 'owner' });

const LIFTED_BY = [
  ['expires_at', 'KEY_LIMIT_EXPIRES_AT'],
  ['daily_limit', 'KEY_LIMIT_DAILY'],
  ['monthly_limit', 'KEY_LIMIT_MONTHLY'],
  ['request_cost_limit', 'KEY_LIMIT_REQUEST_COST'],
  ['rpm_limit', 'KEY_LIMIT_RPM'],
  ['tpm_limit', 'KEY_LIMIT_TPM'],
  ['bare_model_names', 'KEY_LIMIT_BARE_MODEL_NAMES'],
] as const satisfies readonly (readonly [keyof Limits, KeyLimit])[];

function toProtoLimits(given: Limits) {
  return {
    ...(given.expires_at && { expiresAtMs: Date.parse(given.expires_at) }),
    ...(given.daily_limit != null && { dailyLimitNano: given.daily_limit.toString() }),
    ...(given.monthly_limit != null && { monthlyLimitNano: given.monthly_limit.toString() }),
    ...(given.request_cost_limit != null && { requestCostLimitNano: given.request_cost_limit.toString() }),
    ...(given.rpm_limit != null && { rpmLimit: given.rpm_limit }),
    ...(given.tpm_limit != null && { tpmLimit: given.tpm_limit }),
    ...(given.bare_model_names != null && { bareModelNames: given.bare_model_names }),
    ...(given.fallback_models !== undefined && { noFallbackModels: !given.fallback_models }),
    ...(given.unsupported_tools !== undefined && {
      dropUnsupportedTools: given.unsupported_tools === 'drop',
    }),
    ...(given.detailed_messages !== undefined && { detailedMessages: given.detailed_messages }),
  };
}
