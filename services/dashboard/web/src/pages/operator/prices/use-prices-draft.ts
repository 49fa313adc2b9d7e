import type { ListedPricing } from '@gateway/pricing';
import { useMemo, useState } from 'react';
import { fromPricing, type PricesDraft } from './prices-draft';

/**
 * The current prices as form values, which follow updates until the first edit. From then on the draft keeps the
 * version on which it is based.
 */
export function usePricesDraft(pricing: ListedPricing | null) {
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

/** Today in UTC, as everywhere in the gateway. */
const today = (): string => new Date().toISOString().slice(0, 10);
