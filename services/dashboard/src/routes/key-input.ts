import { isAddressRange, KEY_SCOPES } from '@gateway/models';
import type { ChangedBy } from '@gateway/proto/generated/gateway/billing/v1/ChangedBy';
import type { CreateKeyRequest } from '@gateway/proto/generated/gateway/billing/v1/CreateKeyRequest';
import type { KeyLimit } from '@gateway/proto/generated/gateway/billing/v1/KeyLimit';
import type { UpdateKeyRequest } from '@gateway/proto/generated/gateway/billing/v1/UpdateKeyRequest';
import { z } from 'zod';
import type { User } from '../domain/user';
import { allowedModel, label, UNSUPPORTED_TOOLS, usdAmount } from './parse-input';

const MAX_ALLOWED_MODELS = 500;
const MAX_RANGES = 100;
const MAX_RATE = 1_000_000_000;

const rate = z.number().int().min(0).max(MAX_RATE).nullish();
const usdLimit = usdAmount.nullish();
const name = label(200);

const limits = {
  // Empty means never. A time in the past creates a key that is already expired.
  expires_at: z.union([z.iso.datetime({ offset: true }), z.literal('')]).nullish(),
  allowed_models: z
    .array(allowedModel)
    .max(MAX_ALLOWED_MODELS)
    .nullish()
    .meta({
      description:
        'Slugs, or aliases, which are stored as the slugs that they stand for; patterns with one `*`, such as `openai/*`; and types of ' +
        'models, such as `type:chat`. A model is allowed if any of them matches. Empty or null: every model',
    }),
  daily_limit: usdLimit,
  monthly_limit: usdLimit,
  request_cost_limit: usdLimit,
  rpm_limit: rate,
  tpm_limit: rate,
  bare_model_names: z.boolean().nullish().meta({
    description:
      "Models may be called by names without a provider, such as `gpt-4o`; null: use the account's setting",
  }),
  scopes: z
    .array(z.enum(KEY_SCOPES))
    .min(1, 'empty: a key without scopes could do nothing; null allows everything')
    .max(KEY_SCOPES.length)
    .nullish()
    .meta({
      description:
        'The endpoints that the key may call, `account_content` to see what was stored with other keys of the account, and `billing` ' +
        "to see the account's funds; null: everything. Other endpoints return `not_found`",
    }),
  allowed_ips: z
    .array(z.string().trim().max(50).refine(isAddressRange, 'neither an IP address nor a CIDR range'))
    .min(1, 'empty: a key without addresses could not be used; null allows every address')
    .max(MAX_RANGES)
    .nullish()
    .meta({
      description:
        'IP addresses and CIDR ranges from which the key may be used; null: every address. From others it is `invalid_api_key`',
    }),
  fallback_models: z.boolean().optional().meta({
    description: 'When every target of a model fails, its fallback models may answer. Default: true',
  }),
  unsupported_tools: z
    .enum(UNSUPPORTED_TOOLS)
    .optional()
    .meta({
      description:
        'What happens to chat calls with built-in tools that the model can not have: `refuse` (the default), or `drop`: they are left ' +
        'out, and the response header `x-gateway-dropped-tools` names them',
    }),
  detailed_messages: z.boolean().optional().meta({
    description:
      "An error's `detail` also follows in its `message`, for clients that show nothing else. Default: false",
  }),
};

export const createKeyBody = z.strictObject({ name, ...limits });
export const updateKeyBody = z.strictObject({ name: name.optional(), ...limits });

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
