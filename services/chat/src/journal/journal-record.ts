import type { UsageEvent } from '@gateway/call-billing';
import {
  earlierNameOf,
  fromRateFields,
  mapTokenPrice,
  mapValues,
  TOKEN_RATE_NAMES,
  type TokenPrice,
  type TokenRate,
  toRateFields,
} from '@gateway/pricing';
import type { DispatchedCall } from '../domain/settlement-event';
import { type AudioTokens, audioOf, NO_USAGE, type TokenUsage, withAudio } from '../domain/usage';

/** One line of the journal. */
export type JournalRecord =
  | { readonly t: 'dispatched'; readonly call: DispatchedCall; readonly inputTokens: number }
  | { readonly t: 'progress'; readonly id: string; readonly usage: TokenUsage }
  | { readonly t: 'final'; readonly event: UsageEvent };

/** Lines are JSON with amounts as decimal strings, because JSON numbers are doubles, in the form that the release before reads too. */
export function encodeRecord(record: JournalRecord): string {
  return `${JSON.stringify(toStored(record))}\n`;
}

/** A replacer would be called for every member of all records. */
function toStored(record: JournalRecord): object {
  if (record.t === 'final') return record;
  if (record.t === 'progress') return { ...record, usage: encodeUsage(record.usage) };
  const { call } = record;
  const { price, standardPrice, priceVersion, holdNano } = call;
  return {
    ...record,
    call: {
      ...call,
      price: encodePrice(price),
      standardPrice: standardPrice && encodePrice(standardPrice),
      priceVersion: priceVersion.toString(),
      holdNano: holdNano?.toString(),
    },
  };
}

type StoredRecord =
  | Extract<JournalRecord, { readonly t: 'final' }>
  | { readonly t: 'progress'; readonly id: string; readonly usage: EncodedUsage }
  | { readonly t: 'dispatched'; readonly call: StoredCall; readonly inputTokens: number };

interface StoredCall extends Omit<DispatchedCall, 'price' | 'standardPrice' | 'priceVersion' | 'holdNano'> {
  readonly price: EncodedPrice;
  readonly standardPrice?: EncodedPrice;
  readonly priceVersion: string;
  readonly holdNano?: string;
}

/** Returns the record of a line, or undefined if the line was not completely written. */
export function decodeRecord(line: string): JournalRecord | undefined {
  let record: StoredRecord;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (record.t === 'final') return record;
  if (record.t === 'progress') return { ...record, usage: decodeUsage(record.usage) };
  const { price, standardPrice, priceVersion, holdNano, ...call } = record.call;
  return {
    ...record,
    call: {
      ...call,
      price: decodePrice(price),
      ...(standardPrice && { standardPrice: decodePrice(standardPrice) }),
      priceVersion: BigInt(priceVersion),
      ...(holdNano !== undefined && { holdNano: BigInt(holdNano) }),
    },
  };
}

/** Beside the fields of its rates. */
interface EncodedPrice {
  readonly longContext?: { readonly aboveTokens: number; readonly price: object };
  readonly unitNano?: Readonly<Record<string, string>>;
}

function encodePrice(price: TokenPrice): object {
  const { long_context, units } = price;
  return {
    ...toRateFields(TOKEN_RATE_NAMES, price),
    ...(long_context && {
      longContext: {
        aboveTokens: long_context.above_tokens,
        price: toRateFields(TOKEN_RATE_NAMES, long_context),
      },
    }),
    ...(units && { unitNano: mapValues(units, String) }),
  };
}

function decodePrice({ longContext, unitNano, ...fields }: EncodedPrice): TokenPrice {
  const price = {
    ...fromRateFields(TOKEN_RATE_NAMES, fields),
    ...(longContext && {
      long_context: {
        above_tokens: longContext.aboveTokens,
        ...fromRateFields(TOKEN_RATE_NAMES, longContext.price),
      },
    }),
    ...(unitNano && { units: unitNano }),
  };
  return mapTokenPrice(price as TokenPrice<string>, BigInt);
}

/** Beside the figures by their rates. */
export interface EncodedUsage extends Pick<TokenUsage, 'reasoning' | 'units' | 'serviceTier'> {
  readonly audio?: AudioTokens;
}

/** Returns the usage as the release before has it in JSON. */
export function encodeUsage(usage: TokenUsage): object {
  const { reasoning, units, serviceTier } = usage;
  const members: Record<string, unknown> = { reasoning, units, serviceTier, audio: audioOf(usage) };
  for (const rate of TOKEN_RATE_NAMES) members[earlierNameOf(rate)] = usage[rate];
  return members;
}

export function decodeUsage({ reasoning, units, serviceTier, audio, ...figures }: EncodedUsage): TokenUsage {
  const tokens = figures as Readonly<Record<string, number | undefined>>;
  const byRate: { [Rate in TokenRate]?: number } = {};
  for (const rate of TOKEN_RATE_NAMES) {
    const count = tokens[earlierNameOf(rate)];
    if (count !== undefined) byRate[rate] = count;
  }
  const usage = {
    ...{ ...NO_USAGE, ...byRate, reasoning },
    ...(units && { units }),
    ...(serviceTier !== undefined && { serviceTier }),
  };
  return audio ? withAudio(usage, audio) : usage;
}
