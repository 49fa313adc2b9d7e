import type { TokenPricing } from '@gateway/pricing';

export type PriceListFormat = 'models.dev' | 'litellm';
export type Modality = 'text' | 'image' | 'video' | 'audio' | 'pdf';

/** A chat model of a price list, in the catalog's terms. */
export interface PricedModel {
  /** The list's provider id, such as `openai`; the lists differ (`togetherai`, `together_ai`). */
  readonly provider: string;
  /** The model's name at the provider's endpoint. */
  readonly upstreamModel: string;
  readonly name: string;
  readonly inputModalities: readonly Modality[];
  readonly outputModalities: readonly Modality[];
  /** 0 if the list doesn't say. */
  readonly contextLength: number;
  /** 0 if the list doesn't say; never above a known context length. */
  readonly maxOutputTokens: number;
  readonly capabilities: readonly string[];
  readonly pricing: TokenPricing;
  /** What the list prices and the catalog can't bill, such as `batches` or `search`. */
  readonly unpriced: readonly string[];
}

export interface PriceList {
  readonly format: PriceListFormat;
  /** No two have the same provider and upstream model. */
  readonly entries: readonly PricedModel[];
  readonly rejected: readonly RejectedEntry[];
}

export interface RejectedEntry {
  readonly name: string;
  readonly reason: string;
  /** `priceKey` of its provider and upstream model; undefined if the entry doesn't have them. */
  readonly key: string | undefined;
}

/** An entry of a list before it is read. */
export interface Candidate {
  readonly name: string;
  /** As of a rejected entry. */
  readonly key: string | undefined;
  /** @throws EntryRejected */
  readonly read: () => PricedModel;
}

/** The reason for which an entry of a list is not used. */
export class EntryRejected extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'EntryRejected';
  }
}

export const NOT_CHAT = 'not a chat model';

const MODALITIES: readonly Modality[] = ['text', 'image', 'video', 'audio', 'pdf'];

/** Returns the catalog's modalities among the words of a list, without duplicates. */
export const modalitiesOf = (words: readonly string[]): Modality[] =>
  MODALITIES.filter((modality) => words.includes(modality));

const MAX_SHOWN_CHARS = 200;

/** Returns text of a list in a form that may be stored and shown: one line, not long. */
export const printable = (text: string): string =>
  text
    .slice(0, MAX_SHOWN_CHARS)
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim();

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
