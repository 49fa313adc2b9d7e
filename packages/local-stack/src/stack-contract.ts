import type { Caller } from '@gateway/callers';
import type { ProviderPlan } from './providers';
import type { StackSecrets } from './secrets';
import type { ChatJournal, ServiceName } from './services';
import type { EngineAddresses, StackEngines } from './stack-engines';

export interface StackOptions {
  /** Folder for data, secrets and logs; created if missing. Only one stack can use it at a time. */
  readonly dataDir: string;
  readonly engines?: EngineAddresses;
  readonly kafkaTopicPrefix?: string;
  /** `file` by default. */
  readonly chatJournal?: ChatJournal;
  /** Folder with a certificate for each service (`writeDevCertificates`): services use TLS. */
  readonly certificates?: string;
  /** Number of processes of a service; one by default. */
  readonly instances?: Partial<Record<ServiceName, number>>;
  /** Additional settings for one service. */
  readonly settings?: Partial<Record<ServiceName, Readonly<Record<string, string>>>>;
  /** Additional settings for one process. */
  readonly instanceSettings?: (service: ServiceName, index: number) => Readonly<Record<string, string>>;
  /** Command that runs a process elsewhere, such as `ip netns exec NAME`; none by default. */
  readonly commandPrefix?: (service: ServiceName, index: number) => readonly string[];
  /** Inherited by every service; provider keys and secrets are read from it. */
  readonly env?: NodeJS.ProcessEnv;
  /** Uses the default ports that are free; for others the system chooses a port. */
  readonly useDefaultPorts?: boolean;
  /** Restart crashed services; true by default. */
  readonly autoRestart?: boolean;
  readonly log?: (message: string) => void;
  /** Aborting it ends the start, or the running stack, as `stopNow` does. */
  readonly signal?: AbortSignal;
  /** Called when a process has crashed too often and is no longer restarted. */
  readonly onGiveUp?: (error: Error) => void;
}

export interface StackProcess {
  readonly service: ServiceName;
  readonly index: number;
  readonly pid: number;
}

export interface Stack {
  /** Origin of the API, at the first edge. */
  readonly apiUrl: string;
  /** Origins of the API, one per edge. */
  readonly apiUrls: readonly string[];
  readonly dashboardUrl: string;
  readonly simulatorUrl: string;
  readonly dataDir: string;
  readonly logDir: string;
  readonly secrets: StackSecrets;
  readonly engines: StackEngines;
  readonly providers: ProviderPlan;
  /** Throws while the process is down. */
  pid(service: ServiceName, index?: number): number;
  /** The running service processes. */
  processes(): StackProcess[];
  /** Origin of a process's private port: /livez, /readyz, /metrics. */
  adminUrl(service: ServiceName, index?: number): string;
  /** `host:port` of a process's gRPC server. */
  grpcAddress(service: ServiceName, index?: number): string;
  /** Origin of a service's HTTP server. */
  httpUrl(service: ServiceName): string;
  /** Returns the settings with which the service proves its identity to others. */
  trustSettings(service: Caller): Record<string, string>;
  /** Sends a signal. After SIGKILL, resolves when the process has exited; its restart, if enabled, is then in progress. */
  kill(service: ServiceName, index?: number, signal?: NodeJS.Signals): Promise<void>;
  /**
   * Restarts the service's processes gracefully, or starts those that are down.
   * @param stopTimeoutMs time after which a process that has not exited is killed
   */
  restart(service: ServiceName, index?: number, stopTimeoutMs?: number): Promise<void>;
  /**
   * Restarts the service's processes gracefully as another version.
   * @param checkout folder of the repository at that version, built
   */
  replace(service: ServiceName, checkout: string): Promise<void>;
  /** Starts another process of a service, and returns its index when it listens. It may not be ready yet. */
  add(service: ServiceName): Promise<number>;
  /**
   * Stops a process for good.
   * @param stopTimeoutMs as for `restart`
   */
  remove(service: ServiceName, index: number, stopTimeoutMs?: number): Promise<void>;
  /** Resolves when every process is running and ready. */
  ready(timeoutMs?: number): Promise<void>;
  /** Stops everything in order within 20 s. */
  stop(): Promise<void>;
  /** Kills everything at once; the data stays consistent. */
  stopNow(): Promise<void>;
}
