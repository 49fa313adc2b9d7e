import { GatewayError } from '@gateway/errors';
import { MAX_USD } from '@gateway/money';
import {
  defaultBaseUrl,
  isLocalHost,
  isProviderKind,
  optionProblems,
  PROVIDER_KINDS,
  type ProviderKind,
} from '@gateway/providers';
import { parseSecretReference } from '@gateway/secrets';

/** A provider as operators configure it. */
export interface ProviderEntry {
  readonly id: string;
  /** The format of its API. */
  readonly kind: ProviderKind;
  readonly name: string;
  /** Without a trailing slash. Empty: the one of its kind or options. */
  readonly baseUrl: string;
  /** Sent with every request. Never credentials: operators can read them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of its kind. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly enabled: boolean;
}

export interface Credential {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly weight: number;
  readonly enabled: boolean;
  readonly limits: CredentialLimits;
  readonly createdAtMs: number;
  readonly secret: StoredSecret;
}

/** Limits of one instance of a service that calls the provider, except for the cost; an absent one is no limit. */
export interface CredentialLimits {
  readonly requestsPerMinute?: number;
  /** Input and output tokens. */
  readonly tokensPerMinute?: number;
  /** Calls in flight. */
  readonly concurrency?: number;
  /** What the provider charges on a UTC day for the calls of all instances of chat. */
  readonly costPerDayNano?: bigint;
}

/** A secret as it is stored: encrypted, or the reference that chat and media resolve. */
export type StoredSecret = { readonly sealed: Buffer } | { readonly reference: string };

export interface Provider extends ProviderEntry {
  readonly createdAtMs: number;
  readonly credentials: readonly Credential[];
}

export const MAX_PROVIDERS = 200;
export const MAX_CREDENTIALS = 50;
const MAX_WEIGHT = 1_000_000;
export const MAX_LIMIT = 1_000_000_000;
const MAX_COST_PER_DAY_NANO = BigInt(MAX_USD) * 1_000_000_000n;
const MAX_NAME_CHARS = 100;
const MAX_SECRET_BYTES = 16 * 1024;
/** Of all encrypted secrets: chat and media get them in one message of at most 16 MiB. */
export const MAX_SEALED_BYTES = 12 * 1024 * 1024;
const MAX_OPTIONS_BYTES = 16 * 1024;
const MAX_HEADERS = 20;
const MAX_HEADER_CHARS = 1_024;

const ID = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;
/** Set by the gateway, or credentials, which belong to a credential. */
const RESERVED_HEADERS = new Set([
  'authorization',
  'proxy-authorization',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'cookie',
  'host',
  'connection',
  'content-length',
  'content-type',
  'transfer-encoding',
  'expect',
  'upgrade',
  'te',
  'trailer',
]);
const HINT_CHARS = 4;
/** Shorter secrets get no hint, which would be too large a part of them. */
const MIN_CHARS_WITH_HINT = 16;

type UncheckedProvider = Omit<ProviderEntry, 'kind'> & { readonly kind: string };

/** What deployments decide about the addresses of providers. */
export interface AddressRules {
  /** Whether loopback and metadata addresses are refused. */
  readonly refusesLocal: boolean;
}

/** @throws GatewayError `invalid_request` */
export function checkProvider(entry: UncheckedProvider, rules: AddressRules): ProviderEntry {
  const problems = providerProblems(entry, rules);
  if (problems.length > 0) throw invalid(problems.join('; '));
  return toProviderEntry(entry);
}

/** Returns the entry as it is stored. @param checked without problems */
export const toProviderEntry = (checked: UncheckedProvider): ProviderEntry => ({
  ...checked,
  kind: checked.kind as ProviderKind,
  baseUrl: checked.baseUrl && withoutSlash(checked.baseUrl),
});

/** Returns everything that is wrong, each problem with its field: `base_url: is required`. */
export function providerProblems(
  { id, kind, name, headers, baseUrl, options }: UncheckedProvider,
  { refusesLocal }: AddressRules,
): string[] {
  const ofOptions = isProviderKind(kind) ? optionProblems(kind, options) : [];
  const needsBaseUrl =
    isProviderKind(kind) && ofOptions.length === 0 && defaultBaseUrl(kind, options) === undefined;
  return [
    ...(ID.test(id)
      ? []
      : ['id: must be 1 to 63 of a-z, 0-9, ".", "_" and "-", starting with a letter or digit']),
    ...(isProviderKind(kind) ? ofOptions : [`kind: must be one of ${PROVIDER_KINDS.join(', ')}`]),
    ...(isName(name) ? [] : [nameProblem('name')]),
    ...headerProblems(headers),
    ...(isStorable(options) ? [] : ['options: contains NUL or unpaired surrogates']),
    ...baseUrlProblems(baseUrl, needsBaseUrl),
    ...(refusesLocal ? localAddressProblems({ baseUrl, options }) : []),
  ];
}

/** Returns which addresses of the provider lead to the gateway's own machine or to a cloud's metadata, with their fields. */
function localAddressProblems({
  baseUrl,
  options,
}: Pick<UncheckedProvider, 'baseUrl' | 'options'>): string[] {
  return Object.entries({ base_url: baseUrl, 'options.proxy': options.proxy }).flatMap(([field, value]) => {
    const url = typeof value === 'string' ? URL.parse(value) : null;
    return url && isLocalHost(url.hostname) ? [`${field}: must not be a loopback or metadata address`] : [];
  });
}

/** PostgreSQL's JSON can contain neither NUL nor unpaired surrogates, which `JSON.stringify` escapes. */
const isStorable = (options: Readonly<Record<string, unknown>>): boolean =>
  !/\\u(0000|d[89a-f])/i.test(JSON.stringify(options).replaceAll('\\\\', ''));

const nameProblem = (field: string) => `${field}: must be 1 to ${MAX_NAME_CHARS} printable characters`;

const isName = (name: string): boolean =>
  name.length > 0 && name.length <= MAX_NAME_CHARS && !/\p{Cc}/u.test(name) && name.isWellFormed();

export function checkName(field: string, name: string): void {
  if (!isName(name)) throw invalid(nameProblem(field));
}

/** Returns the limits without those that are 0. @throws GatewayError `invalid_request` */
export function checkLimits(
  field: string,
  { costPerDayNano = 0n, ...counts }: CredentialLimits,
): CredentialLimits {
  const set = Object.entries(counts).filter(([, limit]) => limit > 0);
  if (set.some(([, limit]) => limit > MAX_LIMIT)) throw invalid(`${field}: must be at most ${MAX_LIMIT}`);
  if (costPerDayNano < 0n || costPerDayNano > MAX_COST_PER_DAY_NANO) {
    throw invalid(`${field}: the cost per day must be at most ${MAX_USD} USD`);
  }
  return { ...Object.fromEntries(set), ...(costPerDayNano > 0n && { costPerDayNano }) };
}

export function checkWeight(field: string, weight: number): void {
  if (weight > MAX_WEIGHT) throw invalid(`${field}: must be at most ${MAX_WEIGHT}`);
}

const withoutSlash = (url: string): string => new URL(url).href.replace(/\/+$/, '');

function baseUrlProblems(text: string, isRequired: boolean): string[] {
  if (text === '') return isRequired ? ['base_url: is required'] : [];
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return ['base_url: must be an http or https URL'];
  }
  if (url.username !== '' || url.password !== '') return ['base_url: must not contain credentials'];
  if (url.search !== '' || url.hash !== '') return ['base_url: must not have a query or fragment'];
  return [];
}

function headerProblems(headers: Readonly<Record<string, string>>): string[] {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return [`headers: at most ${MAX_HEADERS}`];
  return entries.flatMap(([name, value]) => {
    if (!HEADER_NAME.test(name)) return ['headers: names must be lowercase HTTP header names'];
    if (RESERVED_HEADERS.has(name)) return [`headers: ${name} is set by the gateway`];
    if (value.length <= MAX_HEADER_CHARS && HEADER_VALUE.test(value)) return [];
    return [`headers: the value of ${name} must be at most ${MAX_HEADER_CHARS} printable ASCII characters`];
  });
}

/** @throws GatewayError `invalid_request` */
export function parseOptions(json: string): Record<string, unknown> {
  if (json === '') return {};
  // PostgreSQL's JSON can't contain NUL.
  if (Buffer.byteLength(json) > MAX_OPTIONS_BYTES || json.includes('\\u0000')) {
    throw invalid(`options: must be at most ${MAX_OPTIONS_BYTES} bytes of JSON without NUL`);
  }
  try {
    const options: unknown = JSON.parse(json);
    if (typeof options === 'object' && options !== null && !Array.isArray(options)) {
      return options as Record<string, unknown>;
    }
  } catch {
    // Reported like any other value that is no object.
  }
  throw invalid('options: must be a JSON object');
}

/** A secret as an operator gives it. */
export type NewSecret = { readonly value: string } | { readonly reference: string };

/** @throws GatewayError `invalid_request`, which never contains the secret */
export function checkSecret(
  field: string,
  { value, reference }: { readonly value: string; readonly reference: string },
): NewSecret {
  if ((value === '') === (reference === '')) {
    throw invalid(`${field}: exactly one of secret and secret_ref is required`);
  }
  if (value !== '') {
    const secret = compactJson(value.trim());
    if (Buffer.byteLength(secret) > MAX_SECRET_BYTES || !secret.isWellFormed() || /\p{Cc}/u.test(secret)) {
      throw invalid(
        `${field}: the secret must be at most ${MAX_SECRET_BYTES} bytes without control characters`,
      );
    }
    return { value: secret };
  }
  if (!parseSecretReference(reference)) {
    throw invalid(`${field}: secret_ref must be env:CREDENTIAL_<NAME> or file:<name>`);
  }
  return { reference };
}

/** Returns the JSON object of a cloud's account, such as a file that was pasted, on one line; any other text unchanged. */
function compactJson(text: string): string {
  const account = jsonObjectOf(text);
  return account ? JSON.stringify(account) : text;
}

function jsonObjectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const printable = (text: string): string => text.toWellFormed().replaceAll(/\p{Cc}/gu, '');

/** Members that name a cloud's account. */
const ACCOUNT_NAMES = ['client_email', 'client_id', 'access_key_id', 'access_key'];
const MAX_HINT_CHARS = 100;

/** Returns what operators see of a secret: a reference, the name of a cloud's account, or the last characters of a long value. */
export function hintOf(secret: NewSecret): string {
  if ('reference' in secret) return secret.reference;
  const account = jsonObjectOf(secret.value);
  if (account) {
    const name = ACCOUNT_NAMES.map((member) => account[member]).find((value) => typeof value === 'string');
    return typeof name === 'string' ? printable(name).slice(0, MAX_HINT_CHARS) : '…';
  }
  return secret.value.length < MIN_CHARS_WITH_HINT ? '…' : `…${secret.value.slice(-HINT_CHARS)}`;
}

/** Of credentials and of instances of services. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
