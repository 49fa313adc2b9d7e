import { GatewayError } from '@gateway/errors';
import { isAddressRange, KEY_SCOPES } from '@gateway/models';
import type { ChangedBy__Output } from '@gateway/proto/generated/gateway/billing/v1/ChangedBy';
import { MAX_AMOUNT_NANO } from '../domain/int8';
import type { KeyChanger } from '../keys/rules/owner-limits';

const MAX_ID = 128;
const MAX_NAME = 200;

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });

const isPlain = (value: string): boolean => !value.includes('\0') && value.isWellFormed();

/** An id that the caller chooses. */
export function parseId(value: string, field: string): string {
  if (value === '' || value.length > MAX_ID || !isPlain(value)) {
    throw invalid(`${field} is not a text of 1 to ${MAX_ID} characters`);
  }
  return value;
}

/** An id to look up: an invalid one belongs to nothing. */
export function parseLookupId(value: string): string {
  if (value === '' || value.length > MAX_ID || !isPlain(value)) throw new GatewayError('not_found');
  return value;
}

export function parseText(value: string, field: string, maxCharacters: number): string {
  if (value.length > maxCharacters || !isPlain(value)) {
    throw invalid(`${field} is not a text of at most ${maxCharacters} characters`);
  }
  return value;
}

export const parseName = (value: string, field: string): string => parseText(value, field, MAX_NAME);

/** Nano-USD above zero. */
export function parseAmount(value: string, field: string): bigint {
  const amount = BigInt(value);
  if (amount <= 0n || amount > MAX_AMOUNT_NANO) throw invalid(`${field} is out of range`);
  return amount;
}

/** A limit, which may be zero; absent: no limit. */
export function parseLimit(value: string | undefined, field: string): bigint | null {
  if (value === undefined) return null;
  const limit = BigInt(value);
  if (limit < 0n || limit > MAX_AMOUNT_NANO) throw invalid(`${field} is out of range`);
  return limit;
}

/** Milliseconds since the epoch. */
export function parseTime(value: string | undefined, field: string): bigint | null {
  if (value === undefined) return null;
  const time = BigInt(value);
  if (time < 0n || time > 8_640_000_000_000_000n) throw invalid(`${field} is out of range`);
  return time;
}

/** Far more than a minute can have, and exact in Lua's numbers. */
const MAX_RATE = 10n ** 12n;

/** A limit per minute, which may be zero; absent: no limit. */
export function parseRateLimit(value: string | undefined, field: string): bigint | null {
  const limit = parseLimit(value, field);
  if (limit !== null && limit > MAX_RATE) throw invalid(`${field} is out of range`);
  return limit;
}

/** Nano-USD, positive or negative. */
export function parseSignedAmount(value: string, field: string): bigint {
  const amount = BigInt(value);
  return amount < 0n ? -parseAmount(String(-amount), field) : parseAmount(value, field);
}

const MAX_MODELS = 500;

export function parseModels(models: readonly string[], field: string): string[] {
  if (models.length > MAX_MODELS) throw invalid(`${field} is too long`);
  return models.map((model) => parseId(model, field));
}

/** A dashboard of a newer version may know scopes that this one doesn't. */
const MAX_SCOPES = 2 * KEY_SCOPES.length;

export function parseScopes(scopes: readonly string[], field: string): string[] {
  if (scopes.length > MAX_SCOPES) throw invalid(`${field} is too long`);
  return scopes.map((scope) => parseId(scope, field));
}

const MAX_RANGES = 100;

export function parseAddressRanges(ranges: readonly string[], field: string): string[] {
  if (ranges.length > MAX_RANGES) throw invalid(`${field} has more than ${MAX_RANGES} ranges`);
  const wrong = ranges.find((range) => !isAddressRange(range));
  if (wrong !== undefined)
    throw invalid(`${field}: ${wrong.slice(0, 60)} is neither an IP address nor a CIDR range`);
  return [...ranges];
}

export const fromProtoChanger = (by: ChangedBy__Output | null): KeyChanger => ({
  userId: by?.userId ? parseId(by.userId, 'user_id') : '',
  isMember: by?.isMember ?? false,
});

/** The new value of a field: undefined keeps it, null removes it. */
export function parseChange<T>(lifted: boolean, value: T | null, field: string): T | null | undefined {
  if (!lifted) return value ?? undefined;
  if (value !== null) throw invalid(`${field} is both set and lifted`);
  return null;
}

const MAX_GRACE_SECONDS = 30 * 86_400;

/** How long a rotated value stays valid, possibly not at all. */
export function parseGrace(seconds: number): number {
  if (seconds > MAX_GRACE_SECONDS) throw invalid(`grace_seconds is more than ${MAX_GRACE_SECONDS}`);
  return seconds;
}
