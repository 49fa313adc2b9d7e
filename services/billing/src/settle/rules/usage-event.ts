import { MAX_AMOUNT_NANO, MAX_INT8 } from '../../domain/int8';
import { isUuid } from '../../reserve/rules/request-id';

/** How a call ended, as its owner reports it. */
export interface UsageEvent {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly outcome: 'settled' | 'released' | 'lost';
  readonly costNano: bigint;
  /** What the provider charges for the usage; absent: not known. */
  readonly providerCostNano?: bigint;
  readonly priceVersion: bigint;
  readonly model: string;
  readonly endpoint: string;
  readonly provider: string;
  readonly status: number;
  readonly errorCode: string;
  readonly inputTokens: bigint;
  readonly cacheReadTokens: bigint;
  readonly cacheWriteTokens: bigint;
  readonly outputTokens: bigint;
  readonly reasoningTokens: bigint;
  /** JSON object of the usage that is not counted in tokens, by the name of the unit; absent: none. */
  readonly units?: string;
  readonly images: number;
  readonly videoMs: bigint;
  readonly usageSource: 'provider' | 'counted' | 'recovered' | 'none';
  readonly streamed: boolean;
  readonly firstByteMs: number;
  readonly admittedMs: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Cost that the call may have in excess of `costNano`, and why it is not charged; absent: none. */
  readonly loss?: { readonly reason: CallLossReason; readonly atMostNano: bigint };
  /** The task that the call created; empty: none. */
  readonly taskId: string;
  /** The model that the client named, if a fallback model answered; else empty. */
  readonly requestedModel: string;
}

export type CallLossReason = 'abandoned' | 'usage_unknown' | 'owner_killed';

/** Why an event can't be applied. */
export class MalformedEvent extends Error {}

const MAX_TEXT = 512;
const MAX_UINT32 = 0xffff_ffff;
/** The last millisecond that a Date can represent. */
const MAX_TIME_MS = 8_640_000_000_000_000n;

const OUTCOMES: Record<string, UsageEvent['outcome']> = {
  USAGE_OUTCOME_SETTLED: 'settled',
  USAGE_OUTCOME_RELEASED: 'released',
  USAGE_OUTCOME_LOST: 'lost',
};
const LOSS_REASONS: Record<string, CallLossReason | undefined> = {
  LOSS_REASON_UNSPECIFIED: undefined,
  LOSS_REASON_ABANDONED: 'abandoned',
  LOSS_REASON_USAGE_UNKNOWN: 'usage_unknown',
  LOSS_REASON_OWNER_KILLED: 'owner_killed',
};
const SOURCES: Record<string, UsageEvent['usageSource']> = {
  USAGE_SOURCE_UNSPECIFIED: 'none',
  USAGE_SOURCE_PROVIDER: 'provider',
  USAGE_SOURCE_COUNTED: 'counted',
  USAGE_SOURCE_RECOVERED: 'recovered',
};

/**
 * Parses the proto3 JSON form, in which absent fields are zero; a decoded gRPC message has the same shape. Throws
 * `MalformedEvent`.
 */
export function parseUsageEvent(value: unknown): UsageEvent {
  const fields = objectOf(value, 'event');
  const tokens = objectOf(fields.tokens ?? {}, 'tokens');
  const requestId = text(fields, 'requestId');
  if (!isUuid(requestId)) throw new MalformedEvent('requestId is not a UUID');
  const lossReason = oneOf(LOSS_REASONS, fields, 'lossReason', 'LOSS_REASON_UNSPECIFIED');
  const atMostNano = integer(fields, 'lossNano', MAX_AMOUNT_NANO);
  return {
    requestId,
    accountId: text(fields, 'accountId'),
    keyId: text(fields, 'keyId'),
    outcome: oneOf(OUTCOMES, fields, 'outcome', ''),
    costNano: integer(fields, 'costNano', MAX_AMOUNT_NANO),
    ...(fields.providerCostNano != null && {
      providerCostNano: integer(fields, 'providerCostNano', MAX_AMOUNT_NANO),
    }),
    priceVersion: integer(fields, 'priceVersion', MAX_INT8),
    model: text(fields, 'model'),
    endpoint: text(fields, 'endpoint'),
    provider: text(fields, 'provider'),
    status: Number(integer(fields, 'status', 999n)),
    errorCode: text(fields, 'errorCode'),
    inputTokens: integer(tokens, 'input', MAX_INT8),
    cacheReadTokens: integer(tokens, 'cacheRead', MAX_INT8),
    cacheWriteTokens: integer(tokens, 'cacheWrite', MAX_INT8),
    outputTokens: integer(tokens, 'output', MAX_INT8),
    reasoningTokens: integer(tokens, 'reasoning', MAX_INT8),
    ...unitsOf(tokens),
    images: Number(integer(fields, 'images', BigInt(MAX_UINT32))),
    videoMs: integer(fields, 'videoMs', MAX_INT8),
    usageSource: oneOf(SOURCES, fields, 'usageSource', 'USAGE_SOURCE_UNSPECIFIED'),
    streamed: fields.streamed === true,
    firstByteMs: Number(integer(fields, 'firstByteMs', BigInt(MAX_UINT32))),
    admittedMs: Number(integer(fields, 'admittedMs', BigInt(MAX_UINT32))),
    startedAtMs: Number(integer(fields, 'startedAtMs', MAX_TIME_MS)),
    endedAtMs: Number(integer(fields, 'endedAtMs', MAX_TIME_MS)),
    ...(lossReason && { loss: { reason: lossReason, atMostNano } }),
    taskId: text(fields, 'taskId'),
    requestedModel: text(fields, 'requestedModel'),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function objectOf(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedEvent(`${name} is not an object`);
  }
  return value as Fields;
}

const MAX_UNITS = 32;
const UNIT_NAME = /^[a-z][a-z0-9_]{0,63}$/;

function unitsOf(tokens: Fields): { units?: string } {
  if (!tokens.units) return {};
  const units = objectOf(tokens.units, 'units');
  const names = Object.keys(units);
  if (names.length === 0) return {};
  if (names.length > MAX_UNITS || !names.every((name) => UNIT_NAME.test(name)))
    throw new MalformedEvent('units has an invalid name, or too many');
  const counts = names.map((name) => [name, Number(integer(units, name, BigInt(MAX_UINT32)))]);
  return { units: JSON.stringify(Object.fromEntries(counts)) };
}

function text(fields: Fields, name: string): string {
  const value = fields[name] ?? '';
  // PostgreSQL does not accept NUL in text.
  if (typeof value !== 'string' || value.length > MAX_TEXT || value.includes('\0') || !value.isWellFormed()) {
    throw new MalformedEvent(`${name} is not a text of at most ${MAX_TEXT} characters`);
  }
  return value;
}

function integer(fields: Fields, name: string, max: bigint): bigint {
  const value = fields[name] ?? 0;
  // Most integers are 0: skip BigInt parsing for them.
  if (value === 0 || value === '0') return 0n;
  const digits = typeof value === 'number' ? String(value) : value;
  if (typeof digits === 'string' && /^\d{1,19}$/.test(digits)) {
    const parsed = BigInt(digits);
    if (parsed <= max) return parsed;
  }
  throw new MalformedEvent(`${name} is not an integer from 0 to ${max}`);
}

function oneOf<T>(values: Record<string, T>, fields: Fields, name: string, absent: string): T {
  const value = fields[name] ?? absent;
  if (typeof value === 'string' && Object.hasOwn(values, value)) return values[value] as T;
  throw new MalformedEvent(`${name} is not one of ${Object.keys(values).join(', ')}`);
}
