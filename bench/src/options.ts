import { parseArgs } from 'node:util';
import { SCENARIO_NAMES, type ScenarioName } from './scenarios';

export interface BenchOptions {
  /** Duration of one measured round. */
  readonly seconds: number;
  /** Rounds of each target per scenario; figures are their medians. */
  readonly rounds: number;
  /** Connections of the non-streamed scenario. */
  readonly concurrency: number;
  readonly scenarios: readonly ScenarioName[];
  /** Measure only memory at idle. */
  readonly idleOnly: boolean;
  readonly jsonFile: string | undefined;
  /** Folder for CPU profiles of the gateway's services; figures of such a run are not comparable. */
  readonly profileDir: string | undefined;
  /** Folder of `real-engines.mjs up`: use its PostgreSQL and Redis instead of embedded ones. */
  readonly enginesDir: string | undefined;
  readonly chatJournal: 'file' | 'postgres';
  /** TLS between services, with a certificate on both sides. */
  readonly tls: boolean;
  readonly help: boolean;
}

export const USAGE = `npm run bench -- [options]
  --seconds N       duration of a measured round (default 8)
  --rounds N        rounds of each target per scenario; figures are medians (default 3)
  --concurrency N   connections of the plain and translate scenarios (default 32)
  --only NAME       run only this scenario: ${SCENARIO_NAMES.join(', ')}; can be repeated
  --idle            measure only memory at idle
  --json FILE       write the figures of all rounds as JSON
  --engines DIR     use the PostgreSQL and Redis that tools/real-engines.mjs up --dir DIR has started
  --journal PLACE   where chat keeps its journal: file (default) or postgres
  --tls             TLS between the services
  --profile DIR     write CPU profiles of the gateway's services and print the most expensive functions
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
      journal: { type: 'string', default: 'file' },
      tls: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    // A stream has 200 chunks per second, each a token or more, and the model's output limit is 16,384 tokens.
    seconds: integer('--seconds', values.seconds, 60),
    rounds: integer('--rounds', values.rounds, 100),
    concurrency: integer('--concurrency', values.concurrency, 1_000),
    scenarios: values.only ? values.only.map(scenarioName) : SCENARIO_NAMES,
    idleOnly: values.idle,
    jsonFile: values.json,
    profileDir: values.profile,
    enginesDir: values.engines,
    chatJournal: journalPlace(values.journal),
    tls: values.tls,
    help: values.help,
  };
}

function integer(name: string, text: string, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new Error(`${name}: ${text} is not a number from 1 to ${max}`);
}

function journalPlace(text: string): 'file' | 'postgres' {
  if (text === 'file' || text === 'postgres') return text;
  throw new Error(`--journal: ${text} is neither file nor postgres`);
}

function scenarioName(text: string): ScenarioName {
  const name = SCENARIO_NAMES.find((one) => one === text);
  if (name) return name;
  throw new Error(`--only: ${text} is not one of ${SCENARIO_NAMES.join(', ')}`);
}
