import type { ApiKey, KeyChange, KeyInput } from '../../api/keys';

/** Values of the key form; null: no limit. */
export type KeyFormValues = Pick<ApiKey, keyof KeyInput>;

export const NEW_KEY: KeyFormValues = {
  name: '',
  expires_at: null,
  allowed_models: [],
  daily_limit: null,
  monthly_limit: null,
  request_cost_limit: null,
  rpm_limit: null,
  tpm_limit: null,
  bare_model_names: null,
  fallback_models: true,
  unsupported_tools: 'refuse',
  detailed_messages: false,
  scopes: null,
  allowed_ips: null,
};

const FIELDS = Object.keys(NEW_KEY) as readonly (keyof KeyFormValues)[];

export const formValuesOf = (key: ApiKey): KeyFormValues => ({
  name: key.name,
  expires_at: key.expires_at,
  allowed_models: key.allowed_models,
  daily_limit: key.daily_limit,
  monthly_limit: key.monthly_limit,
  request_cost_limit: key.request_cost_limit,
  rpm_limit: key.rpm_limit,
  tpm_limit: key.tpm_limit,
  bare_model_names: key.bare_model_names,
  fallback_models: key.fallback_models,
  unsupported_tools: key.unsupported_tools,
  detailed_messages: key.detailed_messages,
  scopes: key.scopes,
  allowed_ips: key.allowed_ips,
});

/** Fields of a new key: those that were filled in. */
export const toKeyInput = (values: KeyFormValues): KeyInput => ({
  ...toKeyChange(NEW_KEY, values),
  name: values.name,
});

/** Only changed fields, so that concurrent changes by others are kept. */
export function toKeyChange(before: KeyFormValues, after: KeyFormValues): KeyChange {
  const changed = FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return Object.fromEntries(changed.map((field) => [field, after[field]]));
}
