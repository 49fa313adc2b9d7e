import { type Pool, withTransaction } from '@gateway/postgres';
import { type Queryable, rowsOf, statement } from '../../store/statement';
import { type EdgeDemand, leasePermits } from '../rules/throttle-lease';

const GET = statement('get-throttle', 'SELECT requests_per_second AS limit FROM billing.throttle');
const SET = statement('set-throttle', 'UPDATE billing.throttle SET requests_per_second = $1');

/** Requests per second over all edges; 0: off. */
export async function getThrottle(on: Queryable): Promise<bigint> {
  const [row] = await rowsOf<{ limit: bigint }>(on, GET, []);
  return row?.limit ?? 0n;
}

export async function setThrottle(on: Queryable, requestsPerSecond: bigint): Promise<bigint> {
  await rowsOf(on, SET, [requestsPerSecond]);
  return requestsPerSecond;
}

/** Seconds for which an edge that no longer asks keeps its part. */
const MEMORY_SECONDS = 3;

const LOCK = statement(
  'lock-throttle',
  'SELECT requests_per_second AS limit FROM billing.throttle FOR NO KEY UPDATE',
);
// The clock is read after the lock, so that seconds never run backwards from one lease to the next.
const READ = statement(
  'read-throttle-leases',
  `WITH clock AS (SELECT extract(epoch FROM clock_timestamp()) AS at)
   SELECT floor(c.at)::bigint AS second, floor((c.at - floor(c.at)) * 1000)::bigint AS ms,
     l.edge_id, l.second AS asked, l.wanted, l.granted
   FROM clock c LEFT JOIN billing.throttle_leases l ON l.second >= floor(c.at)::bigint - ${MEMORY_SECONDS}`,
);
const WRITE = statement(
  'write-throttle-lease',
  `INSERT INTO billing.throttle_leases AS l (edge_id, second, wanted, granted) VALUES ($1, $2, $3, $4)
   ON CONFLICT (edge_id) DO UPDATE SET second = excluded.second, wanted = excluded.wanted,
     granted = excluded.granted`,
);
const FORGET = statement(
  'forget-throttle-leases',
  'DELETE FROM billing.throttle_leases WHERE second < $1::bigint - 60',
);

interface LeaseRow {
  second: bigint;
  ms: bigint;
  edge_id: string | null;
  asked: bigint;
  wanted: bigint;
  granted: bigint;
}

export interface Lease {
  readonly throttled: boolean;
  readonly permits: bigint;
  /** Until the end of the leased second. */
  readonly validMs: number;
}

/** Validity of "no throttle", within which an edge learns of a new one. */
const OFF: Lease = { throttled: false, permits: 0n, validMs: 1_000 };

/** Leases an edge's part of the current second, by the database's clock. */
export async function leaseThrottle(pool: Pool, edgeId: string, wanted: bigint): Promise<Lease> {
  if ((await getThrottle(pool)) === 0n) return OFF;
  return withTransaction(pool, async (client) => {
    const [throttle] = await rowsOf<{ limit: bigint }>(client, LOCK, []);
    const limit = throttle?.limit ?? 0n;
    if (limit === 0n) return OFF;
    const rows = await rowsOf<LeaseRow>(client, READ, []);
    const { second, ms } = rows[0]!;
    const edges = rows.filter((row) => row.edge_id !== null && row.edge_id !== edgeId).map(toDemand);
    const mine = rows.find((row) => row.edge_id === edgeId && row.asked === second);
    const own = { edgeId, wanted, granted: mine?.granted };
    const permits = leasePermits(limit, edgeId, [...edges, own]);
    const total = (mine?.granted ?? 0n) + permits;
    await rowsOf(client, WRITE, [edgeId, second, mine ? mine.wanted + wanted : wanted, total]);
    if (!mine) await rowsOf(client, FORGET, [second]);
    return { throttled: true, permits, validMs: 1_000 - Number(ms) };
  });
}

const toDemand = (row: LeaseRow): EdgeDemand => ({
  edgeId: row.edge_id ?? '',
  wanted: row.wanted,
  granted: row.asked === row.second ? row.granted : undefined,
});
