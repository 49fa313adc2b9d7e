import { AUDIO_RATE_NAMES, eachOf, IMAGE_RATE_NAMES, TOKEN_RATE_NAMES } from '@gateway/pricing';
import { z } from 'zod';
import { ROLES } from '../domain/access';
import { imageFeatures, videoFeatures } from './feature-input';
import { targetFields } from './model-input';
import { UNSUPPORTED_TOOLS } from './parse-input';

// Schemas of the API's responses, for its document. Nothing is parsed with them, but tests check every response.

const id = z.string();
const usd = z.number().meta({ description: 'USD, with at most nine decimals' });
const time = z.string().meta({ format: 'date-time' });
const count = z.int().nonnegative();
const role = z.enum(ROLES);
const modelStatus = z.enum(['active', 'disabled', 'delisted']);

export const listOf = (item: z.ZodType) =>
  z.object({
    data: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: '`cursor` of the next page; null on the last one' }),
  });

const token = {
  token: z.string().meta({ description: 'For `Authorization: Bearer`; valid for 15 minutes' }),
  expires_at: time,
};
export const tokenResponse = z.object(token).meta({ id: 'Token' });
export const loginResponse = z
  .object({
    ...token,
    must_change_password: z.boolean().meta({
      description:
        'The password was given by somebody else: `POST auth/password` must replace it before other calls',
    }),
  })
  .meta({ id: 'Login' });
export const registrationModeResponse = z.object({
  registration: z.enum(['open', 'invite', 'off']).meta({ description: 'Who may register an account' }),
});
export const registrationResponse = z
  .object({
    ...token,
    account: z.object({ id }),
    user: z.object({ id, email: z.string(), name: z.string() }),
  })
  .meta({ id: 'Registration' });
export const meResponse = z
  .object({
    user: z.object({ id, email: z.string(), name: z.string() }),
    account: z.object({
      id,
      name: z.string(),
      status: z.enum(['active', 'suspended']),
      preview_models: z
        .array(z.string())
        .meta({ description: 'Preview models that the account has opted in to' }),
    }),
    role,
    operator: z.boolean().meta({ description: 'May call `admin/…`' }),
    must_change_password: z.boolean(),
    api_url: z.string().nullable().meta({ description: 'Origin of `/v1`, if it is configured' }),
    cells: z
      .array(z.string())
      .meta({ description: "Names of the gateway's cells, `home` first; for operators, otherwise empty" }),
  })
  .meta({ id: 'Me' });
export const loggedOutResponse = z.object({ logged_out: z.literal(true) });
export const passwordChangedResponse = z.object({ id, changed: z.literal(true) });

const price = usd.optional();
const rates = eachOf(TOKEN_RATE_NAMES, price);
const prices = {
  currency: z.literal('USD'),
  tokens: z
    .object({
      ...rates,
      service_tiers: z.record(z.string(), z.object(rates)),
      long_context: z.object({ above_tokens: count, ...rates }).optional(),
      units: z.record(z.string(), usd).meta({ description: 'USD per unit, such as a web search' }),
    })
    .optional()
    .meta({ description: 'USD per million tokens' }),
  image: z
    .object({
      per_image: z.array(z.object({ size: z.string(), quality: z.string(), price: usd })),
      ...eachOf(IMAGE_RATE_NAMES, price),
    })
    .optional()
    .meta({ description: 'USD per image, and per million tokens' }),
  video: z
    .object({
      tiers: z.array(z.string()),
      default_tier: z.string().nullable(),
      per_second: z.record(z.string(), usd),
    })
    .optional()
    .meta({ description: 'USD per second, by tier' }),
  audio: z.object(eachOf(AUDIO_RATE_NAMES, price)).optional().meta({
    description:
      'USD per million characters that are spoken, per hour that is transcribed, and per million tokens',
  }),
};
const pricing = z
  .object({ ...prices, version: z.int(), source: z.string(), source_date: z.string() })
  .meta({ id: 'Pricing' });

const model = {
  slug: z.string().meta({ examples: ['sim/chat'] }),
  name: z.string(),
  aliases: z.array(z.string()).meta({
    description: 'Other names that callers may use; names without a provider require `bare_model_names`',
  }),
  status: modelStatus,
  preview: z.boolean().meta({ description: 'Only for accounts that have opted in' }),
  successor: z.string().nullable(),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  context_length: count,
  max_output_tokens: count,
  capabilities: z.array(z.string()),
  workflow: z.array(z.string()),
  image: imageFeatures.meta({ id: 'ImageFeatures' }).nullable(),
  video: videoFeatures.meta({ id: 'VideoFeatures' }).nullable(),
  pricing: pricing.nullable(),
  created_at: time,
};
/** Fields that `/v1/models` adds to OpenAI's. */
export const v1ModelFields = {
  name: model.name,
  aliases: model.aliases,
  preview: model.preview,
  input_modalities: model.input_modalities,
  output_modalities: model.output_modalities,
  context_length: count.nullable().meta({ description: 'Tokens; null for models other than chat models' }),
  max_output_tokens: count.nullable(),
  capabilities: model.capabilities,
  pricing: z.object(prices).nullable(),
  image: model.image,
  video: model.video,
};
const service = {
  output_floor_tokens: count,
  max_image_tokens: count,
  targets: z.array(
    z.object({
      ...targetFields,
      cost: prices.tokens.unwrap().nullable().meta({ description: 'What the provider charges' }),
    }),
  ),
  strategy: z.string().meta({ description: 'How calls are spread over targets of one priority' }),
  fallback_models: z
    .array(z.string())
    .meta({ description: 'Models that are tried, in this order, when every target has failed' }),
};
export const modelResponse = z.object(model).meta({ id: 'Model' });
export const modelDetailResponse = z.object({ ...model, opted_in: z.boolean().optional() });
export const optedInResponse = z.object({ ...model, opted_in: z.literal(true) });
export const catalogModelResponse = z.object({ ...model, ...service }).meta({ id: 'CatalogModel' });

const key = {
  id,
  name: z.string(),
  status: z.enum(['enabled', 'disabled', 'deleted', 'revoked']),
  hint: z.string().meta({ description: 'The last characters of its value' }),
  revoked_at: time.nullable(),
  revoke_reason: z.string().nullable().meta({ description: 'Why it was revoked, such as where it leaked' }),
  created_at: time,
  expires_at: time.nullable(),
  allowed_models: z.array(z.string()).meta({
    description:
      'Slugs, patterns such as `openai/*`, and types such as `type:chat`; empty allows every model',
  }),
  daily_limit: usd.nullable(),
  monthly_limit: usd.nullable(),
  request_cost_limit: usd.nullable(),
  rpm_limit: count.nullable(),
  tpm_limit: count.nullable(),
  bare_model_names: z.boolean().nullable().meta({ description: "Null: use the account's setting" }),
  fallback_models: z.boolean().meta({ description: 'Fallback models may answer its calls' }),
  unsupported_tools: z.enum(UNSUPPORTED_TOOLS),
  detailed_messages: z.boolean().meta({ description: "An error's `detail` also follows in its `message`" }),
  scopes: z.array(z.string()).nullable().meta({ description: 'Null: everything' }),
  allowed_ips: z.array(z.string()).nullable().meta({ description: 'Null: every address' }),
  owner_limits: z.array(z.string()).meta({
    description:
      'Fields that an owner has limited: members can not change them. `status`: an owner disabled the key',
  }),
  holder_ids: z.array(z.string()).meta({
    description:
      'Users to whom a value of the key was shown that may still be valid; unknown for values of older versions',
  }),
};
export const keyResponse = z.object(key).meta({ id: 'Key' });
const spendWindow = z.object({
  used: usd.meta({ description: 'Includes funds reserved for in-flight requests' }),
  resets_at: time,
});
export const keyUseResponse = z
  .object({
    day: spendWindow,
    month: spendWindow,
    account_day: spendWindow.meta({ description: 'All keys of the account' }),
    minute: z
      .object({ requests: count, tokens: count })
      .nullable()
      .meta({ description: 'In the last minute; null for a key without request and token limits' }),
  })
  .meta({ id: 'KeyUse' });
export const accountUseResponse = z.object({ day: spendWindow }).meta({ id: 'AccountUse' });
export const newKeyResponse = z
  .object({ ...key, key: z.string().meta({ description: '`sk-gw-…`, shown once' }) })
  .meta({ id: 'NewKey' });
export const revokedKeyResponse = z.object({ ...key, account_id: id });
export const leakedValuesResponse = z.object({
  data: z
    .array(
      z.object({
        key_id: id.nullable(),
        account_id: id.nullable(),
        hint: z.string().nullable(),
        outcome: z.enum(['key_revoked', 'value_ended', 'unchanged', 'unknown']),
      }),
    )
    .meta({ description: 'In the order of the submitted values; the values are not returned' }),
});
export const scannedSecretsResponse = z
  .array(
    z.object({
      token_hash: z.string().meta({ description: 'SHA-256 of the token, in hexadecimal' }),
      token_type: z.string(),
      label: z.enum(['true_positive', 'false_positive']),
    }),
  )
  .meta({ id: 'ScannedSecrets' });
export const foundKeyResponse = z.object({
  ...key,
  account_id: id,
  value_ends_at: time.nullable().meta({
    description: 'When a rotated value expires or expired; null for the current value',
  }),
});

export const balanceResponse = z
  .object({
    account_id: id,
    balance: usd,
    held: usd.meta({ description: 'Part of the balance reserved for in-flight requests' }),
    available: usd,
    currency: z.literal('USD'),
  })
  .meta({ id: 'Balance' });
const limits = { daily_limit: usd.nullable(), when_short: z.enum(['lower', 'refuse']) };
export const limitsResponse = z.object(limits).meta({ id: 'Limits' });
const settings = {
  bare_model_names: z.boolean().meta({
    description: 'Keys without a setting of their own may call models by names without a provider',
  }),
};
export const settingsResponse = z.object(settings).meta({ id: 'AccountSettings' });
export const topupResponse = z
  .object({
    id,
    account_id: id,
    amount: usd,
    status: z.enum(['pending', 'cleared', 'voided']),
    created_at: time,
    cleared_at: time.nullable(),
    voided_at: time.nullable(),
    reference: z.string().nullable().meta({ description: 'Reference of the payment' }),
  })
  .meta({ id: 'Topup' });
const entry = {
  id,
  kind: z.enum(['charge', 'topup', 'adjustment']),
  amount: usd.meta({ description: 'USD; charges are negative' }),
  reference: z.string().meta({ description: 'The call, top-up or adjustment that caused it' }),
  note: z
    .string()
    .nullable()
    .meta({ description: 'The reason of an adjustment, or the payment reference of a top-up' }),
  task_id: z.string().nullable().meta({ description: 'The video task of a charge' }),
  created_at: time,
};
export const ledgerEntryResponse = z.object(entry).meta({ id: 'LedgerEntry' });
export const adjustmentResponse = z.object({ ...entry, account_id: id });

export const operatorLossResponse = z
  .object({
    request_id: id,
    reason: z
      .enum(['abandoned', 'usage_unknown', 'owner_killed', 'over_hold', 'lost', 'expired', 'late_final'])
      .meta({ description: 'Why the cost was not charged' }),
    amount: usd.meta({ description: 'Negative amounts correct an earlier loss' }),
    created_at: time,
  })
  .meta({ id: 'OperatorLoss' });
export const abandonedCostResponse = z
  .object({
    last_hour: usd.meta({ description: 'Cost of calls abandoned in the last hour' }),
    limit: usd.meta({ description: 'Above this amount new calls are refused' }),
    limited_until: time
      .nullable()
      .meta({ description: 'Time until which new calls are refused; null if they are accepted' }),
  })
  .meta({ id: 'AbandonedCost' });

const milliseconds = z.number().nonnegative();
export const requestResponse = z
  .object({
    id,
    created_at: time,
    key_id: z.string(),
    endpoint: z.string(),
    model: z.string().nullable(),
    requested_model: z
      .string()
      .nullable()
      .meta({ description: 'The model that the caller named, if a fallback model answered' }),
    provider: z.string().nullable(),
    status: z.int().nullable().meta({ description: 'HTTP status; null while a video task is in progress' }),
    in_progress: z.boolean().meta({ description: 'The call created a video task that has not ended' }),
    task_id: z.string().nullable().meta({ description: 'The video task that the call created' }),
    error_code: z.string().nullable(),
    streamed: z.boolean(),
    input_tokens: count,
    cache_read_tokens: count,
    cache_write_tokens: count,
    output_tokens: count,
    reasoning_tokens: count,
    units: z
      .record(z.string(), count)
      .meta({ description: 'Usage that is not counted in tokens, such as web searches' }),
    images: count,
    seconds: z.number(),
    cost: usd,
    held: usd.meta({ description: 'Reserved for a video task in progress, its maximum cost; otherwise 0' }),
    timings: z
      .object({
        receive_ms: milliseconds,
        admit_ms: milliseconds,
        first_byte_ms: milliseconds.nullable(),
        reply_ms: milliseconds.nullable(),
        total_ms: milliseconds,
      })
      .nullable(),
  })
  .meta({ id: 'Request' });
export const anyRequestResponse = requestResponse
  .extend({
    account_id: id.nullable().meta({ description: 'Null for a call with a login token' }),
    key_id: z.string().nullable(),
    user_id: id.nullable().meta({ description: 'For a call with a login token' }),
    provider_cost: usd.nullable().meta({ description: 'What the provider charges; null if not known' }),
  })
  .meta({ id: 'AnyRequest' });
export const usageResponse = z
  .object({
    data: z.array(
      z.object({
        group: z.string().nullable(),
        model: z.string().nullable().optional(),
        key_id: z.string().optional(),
        calls: count,
        errors: count,
        input_tokens: count,
        output_tokens: count,
        images: count,
        seconds: z.number(),
        cost: usd,
      }),
    ),
  })
  .meta({ id: 'Usage' });

const member = { id, email: z.string(), name: z.string(), role, created_at: time };
const password = z.string().meta({ description: 'The first password, shown once' });
export const memberResponse = z.object(member).meta({ id: 'Member' });
export const newMemberResponse = z.object({ ...member, password }).meta({ id: 'NewMember' });
const heldKeys = z
  .array(keyResponse)
  .meta({ description: 'Keys whose values the member knows: disable, regenerate or delete them' });
export const deletedMemberResponse = z.object({ ...member, deleted: z.literal(true), keys: heldKeys });
export const removedMembersResponse = z.object({
  data: z.array(z.object({ id, email: z.string(), name: z.string(), removed_at: time, keys: heldKeys })),
});
export const addedMemberResponse = z.object({ ...member, account_id: id, password });

const operator = {
  id,
  email: z.string(),
  name: z.string(),
  account_id: id,
  must_change_password: z.boolean(),
};
export const operatorResponse = z.object(operator).meta({ id: 'Operator' });
export const operatorsResponse = z.object({ data: z.array(operatorResponse) });
export const addedOperatorResponse = z.object({ ...operator, password });
const invitation = {
  id,
  email: z.string().nullable().meta({ description: 'Null: any email' }),
  status: z.enum(['open', 'used', 'expired', 'revoked']),
  created_at: time,
  expires_at: time,
  registered_account_id: id.nullable(),
};
export const invitationResponse = z.object(invitation).meta({ id: 'Invitation' });
export const invitationsResponse = z.object({ data: z.array(invitationResponse) });
export const newInvitationResponse = z.object({
  ...invitation,
  code: z.string().meta({ description: 'For `invitation` of `POST auth/register`, shown once' }),
});

const auditEntry = {
  id,
  created_at: time,
  actor: z.object({ id: z.string().nullable(), email: z.string().nullable(), operator: z.boolean() }),
  action: z.string(),
  subject: z.string().nullable(),
  changes: z.record(z.string(), z.unknown()).nullable().meta({ description: 'The requested change' }),
  outcome: z
    .enum(['done', 'refused', 'unknown'])
    .meta({ description: '`unknown`: in progress, or interrupted; the change may have been made' }),
  error_code: z.string().nullable().meta({ description: 'Why the change was refused' }),
  request_id: z.string(),
  address: z.string().nullable().meta({ description: 'IP address of the actor; null for an operator' }),
};
export const auditEntryResponse = z.object(auditEntry).meta({ id: 'AuditEntry' });
export const anyAuditEntryResponse = z.object({ ...auditEntry, account_id: z.string().nullable() });

const account = {
  id,
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  created_at: time,
  balance: usd,
  held: usd,
  available: usd,
  currency: z.literal('USD'),
  ...limits,
  ...settings,
  preview_models: z.array(z.string()),
  owner_email: z.string().nullable(),
  cell: z.string().meta({ description: 'Name of its cell; `home` if the gateway has only one' }),
};
export const accountResponse = z.object(account).meta({ id: 'Account' });
export const newAccountResponse = z.object({
  ...account,
  owner: z.object({ id, email: z.string(), name: z.string(), password }).optional(),
});
export const throttleResponse = z
  .object({ requests_per_second: z.int().nullable().meta({ description: 'Null if there is no throttle' }) })
  .meta({ id: 'Throttle' });

export const deletedResponse = z.object({ id, deleted: z.literal(true) });

const circuit = z.enum(['closed', 'cooling', 'suspect', 'open', 'half-open']);
const health = {
  circuit: circuit.nullable(),
  circuits: z.partialRecord(circuit, count),
  calls: count,
  errors: count,
  latency: z.object({ mean_ms: milliseconds, max_ms: milliseconds }).nullable(),
  last_failure: z.object({ code: z.string(), status: z.int().nullable(), at: time }).nullable(),
};
const credential = {
  id,
  name: z.string(),
  hint: z.string().nullable().meta({ description: 'End of the secret, or the reference to it' }),
  weight: count,
  enabled: z.boolean(),
  rpm_limit: count.nullable(),
  tpm_limit: count.nullable(),
  concurrency_limit: count.nullable(),
  daily_cost_limit: usd.nullable(),
  created_at: time.nullable(),
};
const credentialCost = {
  cost_today: usd.nullable().meta({
    description:
      "USD that chat's calls have cost on this UTC day, by the `cost` of the targets; null: not known",
  }),
  limited_until: time.nullable().meta({
    description: 'When a credential at its daily limit is used again; null: it is not at the limit',
  }),
};
const credentialLimits = {
  cooling_until: time.nullable().meta({
    description: 'When all targets that have answered 429 are called again; null: none is cooling',
  }),
  rate_limits: z
    .object({
      upstream_model: z.string(),
      at: time,
      limits: z.array(
        z.object({
          name: z.string().meta({ description: "By the provider's name, such as `requests` and `tokens`" }),
          remaining: count,
          limit: count.nullable(),
          resets_at: time.nullable(),
        }),
      ),
    })
    .nullable()
    .meta({
      description:
        "The provider's rate limits, as the last reply to an instance of chat named them; null: it named none",
    }),
};
export const credentialResponse = z.object(credential).meta({ id: 'Credential' });
export const providerResponse = z
  .object({
    id,
    source: z
      .enum(['catalog', 'environment'])
      .nullable()
      .meta({ description: 'Where it is configured; null: nowhere, but a model names it' }),
    kind: z.string().nullable(),
    name: z.string().nullable(),
    base_url: z.string().nullable(),
    headers: z.record(z.string(), z.string()),
    options: z.record(z.string(), z.unknown()),
    enabled: z.boolean(),
    created_at: time.nullable(),
    credentials: z.array(z.object({ ...credential, ...credentialCost, ...health, ...credentialLimits })),
    served_by: z.enum(['credentials', 'simulator', 'nobody']).nullable(),
    targets: z.array(
      z.object({
        upstream_model: z.string(),
        service: z.enum(['chat', 'media']),
        models: z.array(z.string()),
        ...health,
      }),
    ),
  })
  .meta({ id: 'Provider' });
export const probeResponse = z.object({
  ok: z.boolean(),
  credential: z.object({ id: z.string(), name: z.string() }),
  latency_ms: count,
  models: count.nullable().meta({ description: 'Models that the endpoint lists; null if one was called' }),
  failure: z
    .object({ status: z.int().nullable(), message: z.string() })
    .nullable()
    .meta({ description: 'Status null: there was no reply' }),
});
const listedPrices = z.object({ source: z.string(), source_date: z.string(), tokens: prices.tokens });
const endpointModel = z.object({
  upstream_model: z.string(),
  name: z.string().nullable(),
  input_modalities: model.input_modalities,
  output_modalities: model.output_modalities,
  context_length: count.nullable(),
  max_output_tokens: count.nullable(),
  capabilities: model.capabilities,
  pricing: listedPrices
    .nullable()
    .meta({ description: 'Cost and markup; null: the price list lacks the model' }),
  cost: listedPrices.nullable().meta({ description: 'What the provider charges' }),
  unpriced: z.array(z.string()).meta({ description: 'What the list prices and the gateway can not bill' }),
  price_problem: z.string().nullable().meta({
    description:
      'Why the list has no price for the model that can be used; null: it has one, or there is no list',
  }),
  suggested_slug: z.string(),
  slugs: z.array(z.string()).meta({ description: 'Models of the catalog that call it' }),
});
export const endpointModelsResponse = z.object({
  ...listOf(endpointModel).shape,
  price_list: z.object({
    source: z.string().nullable(),
    source_date: z.string().nullable(),
    problem: z.string().nullable().meta({ description: 'Why there is no price list' }),
  }),
});
export const configResponse = z.object({
  applied: z.boolean(),
  problems: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .meta({ description: 'If there are any, nothing is changed' }),
  changes: z.array(
    z.object({
      path: z.string().meta({ examples: ['providers.groq.base_url'] }),
      from: z.unknown().meta({ description: 'Null: there is no value' }),
      to: z.unknown(),
    }),
  ),
});
export const importResponse = z.object({
  data: z.array(
    z.object({
      upstream_model: z.string(),
      slug: z.string(),
      outcome: z.enum(['created', 'target_added', 'unchanged', 'refused']),
      detail: z.string().optional().meta({ description: 'Why it was refused' }),
    }),
  ),
});
export const providersResponse = z.object({
  ...listOf(providerResponse).shape,
  services: z.array(
    z.object({ service: z.enum(['chat', 'media']), address: z.string(), status: z.enum(['up', 'away']) }),
  ),
  window_seconds: count,
});
const preset = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  base_url: z.string().meta({ description: 'May contain placeholders, such as `{account}`' }),
  api_key: z.enum(['required', 'optional', 'none']),
  docs: z.string().nullable().meta({ description: 'Documentation of the endpoint' }),
  options: z.record(z.string(), z.string()).meta({ description: '`options` of a provider with this preset' }),
});
export const providerPresetsResponse = z.object({
  ...listOf(preset).shape,
  kinds: z.array(
    z.object({
      kind: z.string(),
      base_url: z
        .string()
        .nullable()
        .meta({ description: 'Of providers without a `base_url`; null: required' }),
      options: z.array(z.string()).meta({ description: 'Names of its options other than `preset`' }),
    }),
  ),
});
