import { indexOfMax, loadsOf } from './accounts';
import { Databases, GroupCommitQueue } from './cell-database';
import * as costs from './costs';
import { exponential, seededRandom, weightedSampler } from './random';
import { Links, Servers } from './servers';
import { Simulation } from './simulation';

export interface Fleet {
  readonly cells: number;
  readonly edges: number;
  readonly chats: number;
  readonly billingsPerCell: number;
  readonly coresPerCell: number;
  readonly commitS: number;
  /** Mean time until a provider has answered. */
  readonly providerS: number;
  /** Calls per second of each account, and its cell. */
  readonly rates: Float64Array;
  readonly cellOf: Int32Array;
  readonly warmUpS: number;
  readonly measuredS: number;
  readonly seed: number;
  /** A cell that does not answer after the warm-up. */
  readonly stoppedCell?: number;
}

/** Of instances or cells. */
export interface Spread {
  readonly mean: number;
  readonly max: number;
}

export interface FleetRun {
  readonly calls: number;
  readonly failed: number;
  /** Milliseconds that the gateway adds to a call, ascending: of all calls that were granted, of the cell with the most calls, and of the largest account. */
  readonly addedMs: Readonly<Record<'all' | 'fullestCell' | 'largestAccount', Float32Array>>;
  readonly use: Readonly<Record<'edge' | 'chat' | 'billing' | 'postgres', Spread>>;
  readonly commitsPerCall: number;
  /** Events that wait for their settlement at the end, in seconds of all calls. */
  readonly unsettledS: number;
  readonly inFlight: Readonly<Record<'edge' | 'chat', Spread>>;
}

/** Chat sends its events in batches of this time. */
const DELIVERY_S = 0.025;
const RESERVE_BATCH = 128;
const SETTLE_BATCH = 256;

/** Simulates calls from their arrival at edge to their settlement. Times of servers are exponential with the measured means. */
export function simulateFleet(fleet: Fleet): FleetRun {
  const { cells, edges: edgeCount, chats: chatCount, billingsPerCell, coresPerCell, cellOf, rates } = fleet;
  const random = seededRandom(fleet.seed);
  const work = (mean: number) => exponential(random, mean);
  const callsPerS = rates.reduce((sum, rate) => sum + rate, 0);
  const endS = fleet.warmUpS + fleet.measuredS;
  const maxCalls = Math.ceil(callsPerS * endS + 10 * Math.sqrt(callsPerS * endS));

  const simulation = new Simulation();
  const edges = new Servers(edgeCount);
  const chats = new Servers(chatCount);
  const billings = new Servers(cells * billingsPerCell);
  const databases = new Databases(simulation, cells, coresPerCell, fleet.commitS);
  const balancer = new Links(1, edgeCount, random);
  const relays = new Links(edgeCount, chatCount, random);
  const reservations = new Links(chatCount, billings.count, random);
  const nextAccount = weightedSampler(rates, random);
  /** The billing of its cell that reads an account's partition. */
  const readerOf = Int32Array.from(
    cellOf,
    (cell) => cell * billingsPerCell + Math.floor(random() * billingsPerCell),
  );

  const accountOf = new Int32Array(maxCalls);
  const edgeOf = new Uint16Array(maxCalls);
  const chatOf = new Uint16Array(maxCalls);
  const billingOf = new Uint16Array(maxCalls);
  const arrivedAt = new Float64Array(maxCalls);
  /** Seconds at the provider. */
  const waitedS = new Float32Array(maxCalls);
  const isFailed = new Uint8Array(maxCalls);
  const addedMs = new Float32Array(maxCalls).fill(Number.NaN);
  const atEdge = new Int32Array(edgeCount);
  const atChat = new Int32Array(chatCount);
  let calls = 0;
  let settled = 0;
  let answered = 0;

  const queues = (maxBatch: number, workS: number, onDone: (calls: readonly number[]) => void) =>
    Array.from({ length: billings.count }, (_, billing) => {
      const cell = Math.floor(billing / billingsPerCell);
      return new GroupCommitQueue({ databases, cell, maxBatch, workS, onDone });
    });
  const reserveQueues = queues(RESERVE_BATCH, costs.POSTGRES_RESERVE_S, (batch) => {
    for (const call of batch) granted(call);
  });
  const settleQueues = queues(SETTLE_BATCH, costs.POSTGRES_SETTLE_S, (batch) => {
    settled += batch.length;
  });

  const arrive = simulation.on(() => {
    const call = calls++;
    accountOf[call] = nextAccount();
    arrivedAt[call] = simulation.now;
    const edge = balancer.pick(0);
    edgeOf[call] = edge;
    atEdge[edge]! += 1;
    simulation.at(edges.serve(edge, simulation.now, work(costs.EDGE_S / 2)), relay, call);
    simulation.at(simulation.now + work(1 / callsPerS), arrive, 0);
  });
  const relay = simulation.on((call) => {
    const chat = relays.pick(edgeOf[call]!);
    chatOf[call] = chat;
    atChat[chat]! += 1;
    simulation.at(chats.serve(chat, simulation.now, work(costs.CHAT_S / 2)), reserve, call);
  });
  const reserve = simulation.on((call) => {
    const cell = cellOf[accountOf[call]!]!;
    if (cell === fleet.stoppedCell && simulation.now > fleet.warmUpS) {
      isFailed[call] = 1;
      simulation.at(simulation.now + costs.TIMEOUT_S, answer, call);
      return;
    }
    const billing = reservations.pick(chatOf[call]!, cell * billingsPerCell, billingsPerCell);
    billingOf[call] = billing;
    simulation.at(billings.serve(billing, simulation.now, work(costs.BILLING_RESERVE_S)), hold, call);
  });
  const hold = simulation.on((call) => reserveQueues[billingOf[call]!]!.submit(call, accountOf[call]!));
  const granted = (call: number) => {
    reservations.end(chatOf[call]!, billingOf[call]!);
    waitedS[call] = work(fleet.providerS);
    simulation.at(simulation.now + waitedS[call]!, answer, call);
  };
  const answer = simulation.on((call) => {
    const chat = chatOf[call]!;
    simulation.at(chats.serve(chat, simulation.now, work(costs.CHAT_S / 2)), reply, call);
  });
  const reply = simulation.on((call) => {
    const edge = edgeOf[call]!;
    relays.end(edge, chatOf[call]!);
    atChat[chatOf[call]!]! -= 1;
    simulation.at(edges.serve(edge, simulation.now, work(costs.EDGE_S / 2)), end, call);
    if (isFailed[call]) return;
    answered++;
    simulation.at(simulation.now + DELIVERY_S, deliver, call);
  });
  const end = simulation.on((call) => {
    balancer.end(0, edgeOf[call]!);
    atEdge[edgeOf[call]!]! -= 1;
    addedMs[call] = 1_000 * (simulation.now - arrivedAt[call]! - waitedS[call]!);
  });
  const deliver = simulation.on((call) => {
    // A stopped cell reads its events when it is back.
    const account = accountOf[call]!;
    if (cellOf[account] === fleet.stoppedCell) return;
    simulation.at(
      billings.serve(readerOf[account]!, simulation.now, work(costs.BILLING_SETTLE_S)),
      settle,
      call,
    );
  });
  const settle = simulation.on((call) =>
    settleQueues[readerOf[accountOf[call]!]!]!.submit(call, accountOf[call]!),
  );

  simulation.at(0, arrive, 0);
  simulation.run(fleet.warmUpS);
  const first = calls;
  const commitsBefore = databases.commits;
  for (const servers of [edges, chats, billings, databases.cores]) servers.workS.fill(0);
  simulation.run(endS);

  const loads = loadsOf(rates, cellOf, cells);
  const fullest = indexOfMax(loads);
  const largest = indexOfMax(rates);
  const sorted = (matches: (account: number) => boolean) => {
    const list: number[] = [];
    for (let call = first; call < calls; call++) {
      if (!isFailed[call] && !Number.isNaN(addedMs[call]!) && matches(accountOf[call]!))
        list.push(addedMs[call]!);
    }
    return Float32Array.from(list).sort();
  };
  const use = ({ workS }: Servers, group: number) =>
    spreadOf(
      Array.from({ length: workS.length / group }, (_, i) => {
        const own = workS.subarray(i * group, (i + 1) * group);
        return own.reduce((sum, seconds) => sum + seconds, 0) / group / fleet.measuredS;
      }),
    );
  return {
    calls: calls - first,
    failed: isFailed.subarray(first, calls).reduce((sum, failed) => sum + failed, 0),
    addedMs: {
      all: sorted(() => true),
      fullestCell: sorted((account) => cellOf[account] === fullest),
      largestAccount: sorted((account) => account === largest),
    },
    use: {
      edge: use(edges, 1),
      chat: use(chats, 1),
      billing: use(billings, 1),
      postgres: use(databases.cores, coresPerCell),
    },
    commitsPerCall: (databases.commits - commitsBefore) / (calls - first),
    unsettledS: (answered - settled) / callsPerS - DELIVERY_S,
    inFlight: { edge: spreadOf(atEdge), chat: spreadOf(atChat) },
  };
}

function spreadOf(values: ArrayLike<number>): Spread {
  const list = Array.from(values);
  return { mean: list.reduce((sum, value) => sum + value, 0) / list.length, max: Math.max(...list) };
}
