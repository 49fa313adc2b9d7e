import { parseArgs } from 'node:util';
import { SCENARIO_NAMES, type ScenarioName } from './scenarios';

export interface BenchOptions {
  /** Length of one measured round. */
  readonly seconds: number;
  /** Rounds of each target per scenario; the median counts. */
  readonly rounds: number;
  /** Connections of the non-streamed scenario. */
  readonly concurrency: number;
  readonly scenarios: readonly ScenarioName[];
  /** Memory at idle and nothing else. */
  readonly idleOnly: boolean;
  readonly jsonFile: string | undefined;
  /** Folder for CPU profiles of the gateway's services; figures of such a run are not comparable. */
  readonly profileDir: string | undefined;
  /** Folder of `real-engines.mjs up`, whose PostgreSQL and Redis are used instead of embedded ones. */
  readonly enginesDir: string | undefined;
  readonly help: boolean;
}

export const USAGE = `npm run bench -- [options]
  --seconds N       length of a measured round (8)
  --rounds N        rounds of each target per scenario; the median counts (3)
  --concurrency N   connections of the non-streamed scenario (32)
  --only NAME       one scenario: ${SCENARIO_NAMES.join(', ')}; may be given again
  --idle            only memory at idle
  --json FILE       write all figures of all rounds
  --engines DIR     on the PostgreSQL and Redis that deploy/local/real-engines.mjs up --dir DIR started
  --profile DIR     write CPU profiles of the gateway's services and print their costliest functions
`;

/** @throws Error with a message for the user */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '3' },
      concurrency: { type: 'string', default: '32' },
      only: { type: 'string', multiple: true },
      idle: { type: 'boolean', default: false },
      json: { type: 'string' },
      profile: { type: 'string' },
      engines: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    // A stream has 200 chunks a second, each a token or more, and the model says at most 16,384.
    seconds: integer('--seconds', values.seconds, 60),
    rounds: integer('--rounds', values.rounds, 100),
    concurrency: integer('--concurrency', values.concurrency, 1_000),
    scenarios: values.only ? values.only.map(scenarioName) : SCENARIO_NAMES,
    idleOnly: values.idle,
    jsonFile: values.json,
    profileDir: values.profile,
    enginesDir: values.engines,
    help: values.help,
  };
}

function integer(name: string, text: string, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new Error(`${name}: ${text} is not a number from 1 to ${max}`);
}

function scenarioName(text: string): ScenarioName {
  const name = SCENARIO_NAMES.find((one) => one === text);
  if (name) return name;
  throw new Error(`--only: ${text} is none of ${SCENARIO_NAMES.join(', ')}`);
}
