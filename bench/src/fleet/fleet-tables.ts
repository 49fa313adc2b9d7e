import { percentile } from '../load/percentile';
import { type Accounts, loadsOf, moveLargest, placeAtRandom, placeByLoad, zipfAccounts } from './accounts';
import * as costs from './costs';
import type { FleetOptions } from './options';
import { seededRandom, weightedSampler } from './random';
import { type Fleet, type FleetRun, type Spread, simulateFleet } from './simulate-fleet';
import { type LookupSecond, simulateLookups } from './simulate-lookups';

/** Accounts are moved until no cell has more of the mean. */
const MOVED_RATIO = 1.05;
const KEY_SECONDS = 600;
/** Longer than the timeout of a reservation, so that the calls that wait for the stopped cell are all there. */
const STOPPED_SECONDS = 6;
/** Not the home cell, which is 0. */
const STOPPED_CELL = 1;

/** Tables of text, one column per load and placement. */
export function callRows(options: FleetOptions): string[][] {
  const columns = options.calls.flatMap((callsPerS) => {
    const accounts = accountsOf(options, callsPerS);
    const cells = placements(options, accounts);
    const ratios = `${ratioOf(accounts, cells.random, options)} / ${ratioOf(accounts, cells.created, options)} / ${ratioOf(accounts, cells.moved, options)}`;
    return (['random', 'moved'] as const).map((placement) => {
      const fleet = fleetOf(options, accounts, cells[placement]);
      return [
        `${callsPerS}, ${placement}`,
        ...(placement === 'random' ? [ratios, String(cells.moves)] : ['', '']),
        ...figuresOf(options, callsPerS, accounts, fleet, simulateFleet(fleet)),
      ];
    });
  });
  return transpose([CALL_TITLES, ...columns]);
}

const CALL_TITLES = [
  'calls/s, placement of accounts',
  'fullest cell ÷ mean: random / by load at creation / moved',
  '  accounts moved',
  'largest account, % of calls',
  '  accounts split',
  'cells needed',
  'edges',
  'chats',
  'billings per cell, also partitions',
  'streams of an edge to chats',
  'Reserve streams of a chat',
  'edge, % of a core: mean, fullest',
  'chat, % of a core',
  'billing, % of a core',
  'PostgreSQL, % of its cores',
  'added, p50 and p99 ms',
  '  fullest cell',
  '  largest account',
  'commits per call',
  'WAL of the fullest cell, MB/s',
  'events unsettled, s',
  'events/s of usage topics',
];

function figuresOf(
  { cores }: FleetOptions,
  callsPerS: number,
  accounts: Accounts,
  fleet: Fleet,
  run: FleetRun,
): string[] {
  const { use, addedMs } = run;
  const billings = fleet.cells * fleet.billingsPerCell;
  const percent = ({ mean, max }: Spread) => `${(100 * mean).toFixed(0)}, ${(100 * max).toFixed(0)}`;
  const latency = (ms: Float32Array) =>
    `${percentile(ms, 0.5).toFixed(1)}, ${percentile(ms, 0.99).toFixed(1)}`;
  const fullest = Math.max(...loadsOf(accounts.rates, fleet.cellOf, fleet.cells));
  return [
    (100 * accounts.largestShare).toFixed(1),
    String(accounts.split),
    String(Math.ceil((callsPerS * costs.POSTGRES_S) / cores / costs.PLANNED_USE)),
    String(fleet.edges),
    String(fleet.chats),
    String(fleet.billingsPerCell),
    String(fleet.chats),
    String(billings),
    percent(use.edge),
    percent(use.chat),
    percent(use.billing),
    percent(use.postgres),
    latency(addedMs.all),
    latency(addedMs.fullestCell),
    latency(addedMs.largestAccount),
    run.commitsPerCall.toFixed(2),
    ((fullest * costs.WAL_BYTES) / 1e6).toFixed(0),
    run.unsettledS.toFixed(3),
    callsPerS.toFixed(0),
  ];
}

/** Lookups of keys at the home cell: one edge is simulated, and multiplied. */
export function keyRows(options: FleetOptions): string[][] {
  const columns = options.calls.map((callsPerS) => {
    const accounts = accountsOf(options, callsPerS);
    const { edges, billingsPerCell } = instancesFor(options, callsPerS);
    const spareCores = (1 - costs.PLANNED_USE) * billingsPerCell;
    const answersPerS = (1e6 * spareCores) / options.lookupUs;
    const run = (answers: number, seconds: number) =>
      simulateLookups({
        callsPerS: callsPerS / edges,
        seconds,
        answersPerS: answers,
        ...keySource(options, accounts),
      });
    const unbounded = run(Number.POSITIVE_INFINITY, KEY_SECONDS);
    const all = run(answersPerS / edges, KEY_SECONDS);
    const tenth = run(answersPerS / Math.ceil(edges / 10), KEY_SECONDS);
    const lookups = (second: number) => (unbounded[second - 1]!.lookups * edges).toFixed(0);
    return [
      String(callsPerS),
      String(accounts.rates.length * options.keys),
      lookups(KEY_SECONDS),
      ...[1, 10, 60].map(lookups),
      answersPerS.toFixed(0),
      ...[1, 10, 60, KEY_SECONDS].map((second) => failedPercent(all[second - 1]!)),
      ...[1, 10, 60].map((second) => failedPercent(tenth[second - 1]!)),
    ];
  });
  return transpose([KEY_TITLES, ...columns]);
}

const KEY_TITLES = [
  'calls/s',
  'keys',
  'lookups/s at the home cell, 10 minutes after the start',
  '  in the first second after all edges have started',
  '  in the 10th',
  '  in the 60th',
  'lookups/s that the home cell has the CPU for',
  'calls that fail, %, in the 1st second after all edges have started',
  '  in the 10th',
  '  in the 60th',
  '  in the 600th',
  'the same if a tenth of the edges starts: those edges in the 1st second',
  '  in the 10th',
  '  in the 60th',
];

const failedPercent = ({ calls, refused, timedOut }: LookupSecond) =>
  ((100 * (refused + timedOut)) / calls).toFixed(1);

/** What a cell that does not answer does to the calls of other cells. */
export function stoppedCellRows(options: FleetOptions): string[][] {
  const simulated = Math.min(...options.calls);
  const accounts = accountsOf(options, simulated);
  const fleet = fleetOf(
    { ...options, seconds: STOPPED_SECONDS },
    accounts,
    placements(options, accounts).moved,
  );
  const [normal, stopped] = [simulateFleet(fleet), simulateFleet({ ...fleet, stoppedCell: STOPPED_CELL })];
  const inFlight = ({ inFlight: { edge, chat } }: FleetRun) =>
    `${edge.mean.toFixed(0)}, ${chat.mean.toFixed(0)}`;
  const latency = ({ addedMs: { all } }: FleetRun) => percentile(all, 0.99).toFixed(2);
  return [
    [`a cell of ${options.cells} stops, ${simulated} calls/s`, 'before', 'after'],
    ['calls that fail, %', '0', ((100 * stopped.failed) / stopped.calls).toFixed(2)],
    ['added to calls of other cells, p99 ms', latency(normal), latency(stopped)],
    ['calls in flight of an edge and of a chat, mean', inFlight(normal), inFlight(stopped)],
  ];
}

function keySource({ keys, seed }: FleetOptions, { rates }: Accounts) {
  const random = seededRandom(seed);
  const nextAccount = weightedSampler(rates, random);
  return { random, nextKey: () => nextAccount() * keys + Math.floor(random() * keys) };
}

const accountsOf = ({ accounts, exponent, accountLimit }: FleetOptions, callsPerS: number): Accounts =>
  zipfAccounts(accounts, exponent, callsPerS, accountLimit);

function placements({ cells, seed }: FleetOptions, { rates }: Accounts) {
  const random = placeAtRandom(rates.length, cells, seededRandom(seed));
  const moved = random.slice();
  const moves = moveLargest(rates, moved, cells, MOVED_RATIO);
  return { random, created: placeByLoad(rates, cells, seededRandom(seed)), moved, moves };
}

function ratioOf({ rates }: Accounts, cellOf: Int32Array, { cells }: FleetOptions): string {
  const loads = loadsOf(rates, cellOf, cells);
  const mean = loads.reduce((sum, load) => sum + load, 0) / cells;
  return (Math.max(...loads) / mean).toFixed(2);
}

/** At least two of each. */
function instancesFor({ cells }: FleetOptions, callsPerS: number) {
  const needed = (rate: number, costS: number) => Math.max(2, Math.ceil((rate * costS) / costs.PLANNED_USE));
  return {
    edges: needed(callsPerS, costs.EDGE_S),
    chats: needed(callsPerS, costs.CHAT_S),
    billingsPerCell: needed(callsPerS / cells, costs.BILLING_S),
  };
}

function fleetOf(options: FleetOptions, { rates }: Accounts, cellOf: Int32Array): Fleet {
  const { cells, cores, seconds, seed } = options;
  const callsPerS = rates.reduce((sum, rate) => sum + rate, 0);
  return {
    cells,
    ...instancesFor(options, callsPerS),
    coresPerCell: cores,
    commitS: options.commitMs / 1_000,
    providerS: options.providerMs / 1_000,
    rates,
    cellOf,
    warmUpS: Math.min(seconds, 1),
    measuredS: seconds,
    seed,
  };
}

const transpose = (columns: readonly (readonly string[])[]): string[][] =>
  columns[0]!.map((_, row) => columns.map((column) => column[row] ?? ''));
