import type { Environment } from './environment';
import type { MoneyCheck } from './gateway/check-money';
import type { Round } from './measure';
import type { MemoryLine } from './memory';
import type { BenchOptions } from './options';
import type { HttpScenarioName } from './scenarios';
import type { TargetName } from './targets';

export interface ScenarioRounds {
  readonly name: HttpScenarioName;
  readonly title: string;
  readonly stream: boolean;
  readonly rounds: readonly Readonly<Record<TargetName, Round>>[];
}

/** `Reserve` by itself; there is nothing to compare it with. */
export interface ReserveRuns {
  readonly callers: number;
  readonly runSeconds: number;
  readonly unreleasedSeconds: number;
  readonly keys: readonly {
    readonly title: string;
    /** Each hold released before its caller reserves again. */
    readonly runs: readonly Round[];
    /** None released before the run was over. */
    readonly unreleased: readonly Round[];
  }[];
}

/** The same calls to providers of the caller's format and of others. */
export interface TranslationRuns {
  readonly runSeconds: number;
  readonly groups: readonly TranslationGroup[];
}

/** Callers of one format with one conversation. */
export interface TranslationGroup {
  readonly title: string;
  readonly stream: boolean;
  /** At which calls were begun on every route; undefined of streams, which have a pace of their own. */
  readonly callsPerSecond: number | undefined;
  /** Rounds of the same number were neighbours. */
  readonly routes: readonly {
    readonly title: string;
    readonly translated: boolean;
    readonly rounds: readonly Round[];
  }[];
}

/** What an account is told of its calls when there are very many. */
export interface RecordsRuns {
  /** Of all accounts, and of the one that asks. */
  readonly records: number;
  readonly ownRecords: number;
  readonly connections: number;
  readonly runSeconds: number;
  /** Before the questions, by what they were grouped by; those of the keys that the records were made with. */
  readonly sums: Readonly<Record<'recorded' | 'ofFilledKeys' | 'byKey' | 'byDay' | 'byModel', CallSums>>;
  readonly kinds: readonly { readonly title: string; readonly rounds: readonly Round[] }[];
  /** Made by the account while it asked. */
  readonly callsBeside: readonly Round[];
}

export interface CallSums {
  readonly calls: number;
  readonly errors: number;
}

/** Everything that was measured, nothing yet worked out. */
export interface BenchReport {
  readonly environment: Environment;
  readonly options: BenchOptions;
  /** The whole stack soon after its start, nobody calling. */
  readonly idle: readonly MemoryLine[];
  readonly scenarios: readonly ScenarioRounds[];
  /** Absent when it was not asked for. */
  readonly reserve: ReserveRuns | undefined;
  /** Absent when it was not asked for. */
  readonly translation: TranslationRuns | undefined;
  /** Absent when it was not asked for. */
  readonly records: RecordsRuns | undefined;
  /** After all scenarios, the bare proxy and the generator too. */
  readonly loaded: readonly MemoryLine[];
  /** Absent when no calls were made. */
  readonly money: MoneyCheck | undefined;
}
