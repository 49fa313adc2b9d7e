import type { ProviderPlan } from './providers';
import type { StackSecrets } from './secrets';
import type { ServiceName } from './services';
import type { EngineAddresses, StackEngines } from './stack-engines';

export interface StackOptions {
  /** Data, secrets and logs; made when it is not there. One stack at a time. */
  readonly dataDir: string;
  readonly engines?: EngineAddresses;
  readonly kafkaTopicPrefix?: string;
  /** How many processes of a service; one unless said otherwise. */
  readonly instances?: Partial<Record<ServiceName, number>>;
  /** Settings for one service beside its usual ones. */
  readonly settings?: Partial<Record<ServiceName, Readonly<Record<string, string>>>>;
  /** What every service inherits, and where provider keys and secrets are looked for. */
  readonly env?: NodeJS.ProcessEnv;
  /** The design's ports where they are free; without it, ports that the system chooses. */
  readonly usualPorts?: boolean;
  /** Start crashed services again; true unless said otherwise. */
  readonly autoRestart?: boolean;
  readonly log?: (message: string) => void;
  /** Aborting it ends the start, or the running stack, as `stopNow` does. */
  readonly signal?: AbortSignal;
  /** Something crashed so often that it stays down. */
  readonly onGivenUp?: (error: Error) => void;
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
  /** The service processes that live now. */
  processes(): StackProcess[];
  /** Origin of a process's private port: /livez, /readyz, /metrics. */
  adminUrl(service: ServiceName, index?: number): string;
  /** `host:port` of a process's gRPC server, for callers that hold the service secret. */
  grpcAddress(service: ServiceName, index?: number): string;
  /** After SIGKILL, resolves when the process is gone; its restart, if wanted, is then under way. */
  kill(service: ServiceName, index?: number, signal?: NodeJS.Signals): Promise<void>;
  /**
   * Ends the service's processes in order and starts them again, or starts those that are down.
   * @param stopTimeoutMs after which one that has not ended is killed
   */
  restart(service: ServiceName, index?: number, stopTimeoutMs?: number): Promise<void>;
  /** Resolves when every process runs and says that it can do its work. */
  ready(timeoutMs?: number): Promise<void>;
  /** Everything in order within 20 s. */
  stop(): Promise<void>;
  /** Everything at once; the data stays whole. */
  stopNow(): Promise<void>;
}
