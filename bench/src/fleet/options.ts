import { parseArgs } from 'node:util';
import { PLANNED_USE, POSTGRES_S } from './costs';

export interface FleetOptions {
  /** Loads of the fleet, in calls per second. */
  readonly calls: readonly number[];
  readonly cells: number;
  readonly cores: number;
  readonly commitMs: number;
  readonly accounts: number;
  readonly exponent: number;
  readonly accountLimit: number;
  readonly keys: number;
  readonly lookupUs: number;
  readonly providerMs: number;
  readonly seconds: number;
  readonly seed: number;
}

export const USAGE = `npm run fleet -- [options]
  --calls N           calls per second; can be repeated (default 100000, 1000000 and what uses 70 % of the cells)
  --cells N           cells (default 100)
  --cores N           cores of a cell's PostgreSQL (default 8)
  --commit-ms N       duration of a commit (default 1)
  --accounts N        accounts (default 100000)
  --exponent N        of Zipf's law by which calls are distributed over accounts (default 1)
  --account-limit N   calls per second above which an account is split (default 1000)
  --keys N            keys of an account (default 10)
  --lookup-us N       CPU of billing per key lookup at the home cell (default 150)
  --provider-ms N     mean time of a provider (default 250)
  --seconds N         measured time, after as much of warm-up (default 1)
  --seed N            of the random numbers (default 1)
`;

/** @throws Error with a message for the user */
export function parseFleetOptions(args: readonly string[]): FleetOptions {
  const text = (fallback: number) => ({ type: 'string', default: String(fallback) }) as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string', multiple: true },
      cells: text(100),
      cores: text(8),
      'commit-ms': text(1),
      accounts: text(100_000),
      exponent: text(1),
      'account-limit': text(1_000),
      keys: text(10),
      'lookup-us': text(150),
      'provider-ms': text(250),
      seconds: text(1),
      seed: text(1),
    },
  });
  const number = (name: Exclude<keyof typeof values, 'calls'>) => positive(name, values[name]);
  const cells = number('cells');
  const cores = number('cores');
  const planned = Math.round((PLANNED_USE * cells * cores) / POSTGRES_S);
  return {
    calls: values.calls?.map((value) => positive('calls', value)) ?? [100_000, 1_000_000, planned],
    cells,
    cores,
    commitMs: number('commit-ms'),
    accounts: number('accounts'),
    exponent: number('exponent'),
    accountLimit: number('account-limit'),
    keys: number('keys'),
    lookupUs: number('lookup-us'),
    providerMs: number('provider-ms'),
    seconds: number('seconds'),
    seed: number('seed'),
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`--${name}: ${text} is not a positive number`);
}
