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

/** Runs of `Reserve`, which has no counterpart in the bare proxy. */
export interface ReserveRuns {
  readonly callers: number;
  readonly runSeconds: number;
  readonly unreleasedSeconds: number;
  readonly keys: readonly {
    readonly title: string;
    /** Each caller's hold is released before the caller reserves again. */
    readonly runs: readonly Round[];
    /** No hold is released during the run. */
    readonly unreleased: readonly Round[];
  }[];
}

/** The same calls to a gateway with one process of each service, and to one with several edges and chats. */
export interface InstanceRuns {
  /** Edges and chats of the second gateway. */
  readonly instances: number;
  /** The runs of a round are adjacent. */
  readonly rounds: readonly { readonly one: Round; readonly several: Round }[];
  /** Of the second gateway. */
  readonly money: MoneyCheck;
}

/** The same calls to providers of the caller's format (passed through) and of other formats (translated). */
export interface TranslationRuns {
  readonly runSeconds: number;
  readonly groups: readonly TranslationGroup[];
}

/** Runs with one caller format and one conversation. */
export interface TranslationGroup {
  readonly title: string;
  readonly stream: boolean;
  /** Rate at which calls were started on every route; undefined for streams, whose pace is that of their chunks. */
  readonly callsPerSecond: number | undefined;
  /** Rounds with the same index ran one after the other and are compared. */
  readonly routes: readonly {
    readonly title: string;
    readonly translated: boolean;
    readonly rounds: readonly Round[];
  }[];
}

/** Dashboard queries of an account with very many request records. */
export interface RecordsRuns {
  /** Records of all accounts. */
  readonly records: number;
  /** Records of the account that sends the queries. */
  readonly ownRecords: number;
  readonly connections: number;
  readonly runSeconds: number;
  /** Sums before the queries: of the inserted records, and as the usage API returns them by grouping. */
  readonly sums: Readonly<Record<'recorded' | 'ofFilledKeys' | 'byKey' | 'byDay' | 'byModel', CallSums>>;
  readonly kinds: readonly { readonly title: string; readonly rounds: readonly Round[] }[];
  /** Calls of the same account during the queries. */
  readonly concurrentCalls: readonly Round[];
}

export interface CallSums {
  readonly calls: number;
  readonly errors: number;
}

/** All measurements, before evaluation. */
export interface BenchReport {
  readonly environment: Environment;
  readonly options: BenchOptions;
  /** Memory of the whole stack after its start, without load. */
  readonly idle: readonly MemoryLine[];
  readonly scenarios: readonly ScenarioRounds[];
  /** Undefined if the scenario was not selected. */
  readonly reserve: ReserveRuns | undefined;
  /** Undefined if the scenario was not selected. */
  readonly instances: InstanceRuns | undefined;
  /** Undefined if the scenario was not selected. */
  readonly translation: TranslationRuns | undefined;
  /** Undefined if the scenario was not selected. */
  readonly records: RecordsRuns | undefined;
  /** Memory after all scenarios, including the bare proxy and the generator. */
  readonly loaded: readonly MemoryLine[];
  /** Undefined if no calls were made. */
  readonly money: MoneyCheck | undefined;
}
