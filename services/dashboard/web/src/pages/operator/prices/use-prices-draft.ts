import { useMemo, useState } from 'react';
import type { ModelPricing } from '../../../api/models';
import { fromPricing, type PricesDraft } from './prices-draft';

/**
 * The current prices as a form, which follows them until something is typed. From then on it keeps the version
 * that it was begun with: it is no change of a later one.
 */
export function usePricesDraft(pricing: ModelPricing | null) {
  const current = useMemo(() => ({ ...fromPricing(pricing), source: '', sourceDate: today() }), [pricing]);
  const [typed, setTyped] = useState<{ draft: PricesDraft; version: number | undefined }>();
  const version = typed ? typed.version : pricing?.version;
  return {
    draft: typed?.draft ?? current,
    version,
    type: (draft: PricesDraft) => setTyped({ draft, version }),
    clear: () => setTyped(undefined),
  };
}

/** The day on which an operator reads a price, in UTC as all days of the gateway. */
const today = (): string => new Date().toISOString().slice(0, 10);
