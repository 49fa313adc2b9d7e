import { expect, test } from '@jest/globals';
import { percentile } from '../load/percentile';
import { Databases, GroupCommitQueue } from './cell-database';
import * as costs from './costs';
import { exponential, seededRandom } from './random';
import { Servers } from './servers';
import { simulateFleet } from './simulate-fleet';
import { Simulation } from './simulation';

/** Returns the mean seconds from arrival to completion, and the utilisation, of one server with Poisson arrivals. */
function runQueue(arrivalsPerS: number, serviceS: (random: () => number) => number) {
  const random = seededRandom(1);
  const simulation = new Simulation();
  const servers = new Servers(1);
  const seconds = 200_000;
  let count = 0;
  let sumS = 0;
  const arrive = simulation.on(() => {
    count++;
    sumS += servers.serve(0, simulation.now, serviceS(random)) - simulation.now;
    simulation.at(simulation.now + exponential(random, 1 / arrivalsPerS), arrive, 0);
  });
  simulation.at(0, arrive, 0);
  simulation.run(seconds);
  return { meanS: sumS / count, use: servers.workS[0]! / seconds };
}

test.each([0.3, 0.7, 0.9])(
  'a server with utilisation %d takes as long as the formulas of M/M/1 and M/D/1 say',
  (use) => {
    const exponentially = runQueue(use, (random) => exponential(random, 1));
    const constantly = runQueue(use, () => 1);
    expect(exponentially.meanS / (1 / (1 - use))).toBeCloseTo(1, 1);
    expect(constantly.meanS / (1 + use / (2 * (1 - use)))).toBeCloseTo(1, 1);
    expect(exponentially.use / use).toBeCloseTo(1, 1);
    expect(constantly.use / use).toBeCloseTo(1, 1);
  },
);

test('64 callers of one account reserve about as often as measured: 13,800 times per second on real engines', () => {
  const simulation = new Simulation();
  const databases = new Databases(simulation, 1, 2, 0.001);
  const billing = new Servers(1);
  let reserved = 0;
  const queue = new GroupCommitQueue({
    databases,
    cell: 0,
    maxBatch: 128,
    workS: costs.POSTGRES_RESERVE_S,
    onDone(callers) {
      reserved += callers.length;
      for (const caller of callers) call(caller);
    },
  });
  const hold = simulation.on((caller) => queue.submit(caller, 0));
  const call = (caller: number) =>
    simulation.at(billing.serve(0, simulation.now, costs.BILLING_RESERVE_S), hold, caller);
  for (let caller = 0; caller < 64; caller++) call(caller);
  simulation.run(10);
  expect(reserved / 10 / 13_800).toBeGreaterThan(0.8);
  expect(reserved / 10 / 13_800).toBeLessThan(1.25);
});

const FLEET = {
  cells: 4,
  edges: 4,
  chats: 8,
  billingsPerCell: 2,
  coresPerCell: 2,
  commitS: 0.001,
  providerS: 0.05,
  rates: Float64Array.from({ length: 100 }, () => 100),
  cellOf: Int32Array.from({ length: 100 }, (_, account) => account % 4),
  warmUpS: 1,
  measuredS: 8,
  seed: 1,
};

test('the utilisation of every tier is the arrival rate times the service time', () => {
  const { use, calls, failed, unsettledS } = simulateFleet(FLEET);
  expect(calls / 8 / 10_000).toBeCloseTo(1, 1);
  expect(use.edge.mean / ((10_000 / 4) * costs.EDGE_S)).toBeCloseTo(1, 1);
  expect(use.chat.mean / ((10_000 / 8) * costs.CHAT_S)).toBeCloseTo(1, 1);
  expect(use.billing.mean / ((10_000 / 8) * costs.BILLING_S)).toBeCloseTo(1, 1);
  expect(use.postgres.mean / ((10_000 / 8) * costs.POSTGRES_S)).toBeCloseTo(1, 1);
  expect(failed).toBe(0);
  expect(Math.abs(unsettledS)).toBeLessThan(0.1);
});

test('a stopped cell fails the calls of its accounts only', () => {
  const { calls, failed, addedMs } = simulateFleet({ ...FLEET, stoppedCell: 1 });
  expect(failed / calls).toBeCloseTo(1 / 4, 1);
  expect(percentile(addedMs.all, 0.99)).toBeLessThan(50);
});

test('the same seed gives the same run', () => {
  const fleet = { ...FLEET, measuredS: 1 };
  expect(simulateFleet(fleet)).toEqual(simulateFleet(fleet));
});
