import { apiGet } from './client';

export interface UsageRow {
  /** A UTC day, a model's slug or a key's id; null if there is none. */
  readonly group: string | null;
  readonly calls: number;
  readonly errors: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly images: number;
  readonly seconds: number;
  readonly cost: number;
}

export interface UsageQuery {
  readonly group_by: 'day' | 'model' | 'key';
  /** Times or dates; the UTC days of both are included. */
  readonly from?: string;
  readonly to?: string;
}

export const getUsage = (query: UsageQuery) => apiGet<{ data: readonly UsageRow[] }>('usage', { ...query });
