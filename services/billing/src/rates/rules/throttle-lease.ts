/** The recent demand of an edge, and its lease of the current second. */
export interface EdgeDemand {
  readonly edgeId: string;
  /** Requests that it would have admitted since its last lease. */
  readonly wanted: bigint;
  /** Undefined: it has no lease in this second yet. */
  readonly granted: bigint | undefined;
}

/**
 * Returns the requests that an edge may admit in this second: its part by demand, as long as the sum of all leases stays within
 * the limit. Parts that other edges have not leased yet are kept for them; an edge that asks again gets unassigned requests.
 */
export function leasePermits(limit: bigint, edgeId: string, edges: readonly EdgeDemand[]): bigint {
  const weight = ({ wanted }: EdgeDemand) => (wanted > 0n ? wanted : 1n);
  const total = edges.reduce((sum, edge) => sum + weight(edge), 0n);
  let free = limit;
  for (const edge of edges) {
    if (edge.granted !== undefined) free -= edge.granted;
    else if (edge.edgeId !== edgeId) free -= (limit * weight(edge)) / total;
  }
  if (free <= 0n) return 0n;
  const own = edges.find((edge) => edge.edgeId === edgeId);
  if (!own) return 0n;
  const share = own.granted === undefined ? (limit * weight(own)) / total : own.wanted;
  // A part below one must not starve an edge while others do not need the rest.
  const asked = share > 0n ? share : 1n;
  return asked < free ? asked : free;
}
