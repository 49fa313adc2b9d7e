/** What an edge wanted lately, and what it was given of the current second. */
export interface EdgeDemand {
  readonly edgeId: string;
  /** Requests that it would have let through since it last asked. */
  readonly wanted: bigint;
  /** Undefined: it has not asked in this second yet. */
  readonly granted: bigint | undefined;
}

/**
 * Requests that an edge may let through in this second: its share by demand, as long as what was given
 * stays within the limit. What the others have not fetched yet of their shares stays theirs; one that asks
 * again gets what is nobody's.
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
  // A share below one must not starve an edge while nobody needs the rest.
  const asked = share > 0n ? share : 1n;
  return asked < free ? asked : free;
}
