import type { UsageEvent } from '@gateway/call-billing';
import type { TokenPrice } from '../domain/model';
import type { DispatchedCall } from '../domain/settlement-event';
import type { TokenUsage } from '../domain/usage';

/** One line of the journal. */
export type JournalRecord =
  | { readonly t: 'dispatched'; readonly call: DispatchedCall; readonly inputTokens: number }
  | { readonly t: 'progress'; readonly id: string; readonly usage: TokenUsage }
  | { readonly t: 'final'; readonly event: UsageEvent };

/** Lines are JSON with amounts as decimal strings, because JSON numbers are doubles. */
export function encodeRecord(record: JournalRecord): string {
  return `${JSON.stringify(record.t === 'dispatched' ? withDecimals(record) : record)}\n`;
}

/** Only this record has amounts that are not strings yet; a replacer would be called for every member of all records. */
function withDecimals(record: JournalRecord & { readonly t: 'dispatched' }): object {
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

/** Undefined members are omitted. */
function encodePrice(price: TokenPrice): object {
  return {
    inputNano: price.inputNano.toString(),
    outputNano: price.outputNano.toString(),
    cacheReadNano: price.cacheReadNano?.toString(),
    cacheWriteNano: price.cacheWriteNano?.toString(),
    cacheWriteLongNano: price.cacheWriteLongNano?.toString(),
    audioInputNano: price.audioInputNano?.toString(),
    audioCacheReadNano: price.audioCacheReadNano?.toString(),
    audioOutputNano: price.audioOutputNano?.toString(),
    longContext: price.longContext && {
      ...price.longContext,
      price: encodePrice(price.longContext.price),
    },
    unitNano:
      price.unitNano &&
      Object.fromEntries([...price.unitNano].map(([unit, nano]) => [unit, nano.toString()])),
  };
}

/** Returns the record of a line, or undefined if the line was not completely written. */
export function decodeRecord(line: string): JournalRecord | undefined {
  let record: JournalRecord;
  try {
    record = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (record.t !== 'dispatched') return record;
  const { call } = record;
  const { price, standardPrice, priceVersion, holdNano } = call;
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

function decodePrice(price: TokenPrice): TokenPrice {
  return {
    inputNano: BigInt(price.inputNano),
    outputNano: BigInt(price.outputNano),
    ...(price.cacheReadNano !== undefined && { cacheReadNano: BigInt(price.cacheReadNano) }),
    ...(price.cacheWriteNano !== undefined && { cacheWriteNano: BigInt(price.cacheWriteNano) }),
    ...(price.cacheWriteLongNano !== undefined && { cacheWriteLongNano: BigInt(price.cacheWriteLongNano) }),
    ...(price.audioInputNano !== undefined && { audioInputNano: BigInt(price.audioInputNano) }),
    ...(price.audioCacheReadNano !== undefined && { audioCacheReadNano: BigInt(price.audioCacheReadNano) }),
    ...(price.audioOutputNano !== undefined && { audioOutputNano: BigInt(price.audioOutputNano) }),
    ...(price.longContext && {
      longContext: { ...price.longContext, price: decodePrice(price.longContext.price) },
    }),
    ...(price.unitNano && {
      unitNano: new Map(Object.entries(price.unitNano).map(([unit, nano]) => [unit, BigInt(nano)])),
    }),
  };
}
