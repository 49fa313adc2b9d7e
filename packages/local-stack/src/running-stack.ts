import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Caller } from '@gateway/callers';
import { inheritedSettings, node24, REPOSITORY } from './child-environment';
import { freeLoopbackPort, type HeldPort, holdLoopbackPort } from './engines/loopback-ports';
import { type ProviderPlan, planProviders } from './providers';
import { loadSecrets, type StackSecrets } from './secrets';
import { prepareDatabases, type ServiceDatabaseUrls } from './service-databases';
import { SERVICES, type ServiceDefinition, type ServiceName, type StackContext, trustOf } from './services';
import type { Stack, StackOptions, StackProcess } from './stack-contract';
import { type StackEngines, startEngines } from './stack-engines';
import { limitLog, rotateLog } from './supervise/log-file';
import { waitUntilReady } from './supervise/readiness';
import { ServiceProcess } from './supervise/service-process';

// Young generations of Node's default size use memory only under load, where they save a fifth of the CPU time.
const NODE_FLAGS = ['--max-semi-space-size=16'];
const READY_TIMEOUT_MS = 20_000;
const LOG_CHECK_INTERVAL_MS = 60_000;
const SERVICE_STOP_TIMEOUT_MS = 8_000;
/** For all services; the rest of the 20 s is for PostgreSQL. */
const SERVICES_STOP_TIMEOUT_MS = 13_000;

export class RunningStack implements Stack {
  readonly dataDir: string;
  readonly logDir: string;
  readonly secrets: StackSecrets;
  readonly #options: StackOptions;
  readonly #release: () => void;
  readonly #log: (message: string) => void;
  readonly #processes = new Map<ServiceName, ServiceProcess[]>();
  readonly #removed = new Set<ServiceProcess>();
  readonly #heldPorts = new Map<ServiceName, readonly HeldPort[]>();
  /** Of services that run as another version. */
  readonly #checkouts = new Map<ServiceName, string>();
  readonly #logFiles = new Set<string>();
  readonly #logCheck: NodeJS.Timeout;
  #starting: readonly Promise<unknown>[] = [];
  #engines: StackEngines | undefined;
  #databaseUrls: ServiceDatabaseUrls | undefined;
  #stopping: Promise<void> | undefined;
  #stopByMs = Number.POSITIVE_INFINITY;

  /** @param release unlocks the data folder */
  constructor(options: StackOptions, release: () => void) {
    this.#options = options;
    this.#release = release;
    this.#log = options.log ?? (() => {});
    this.dataDir = options.dataDir;
    this.logDir = join(this.dataDir, 'logs');
    mkdirSync(this.logDir, { recursive: true, mode: 0o700 });
    this.secrets = loadSecrets(this.dataDir, options.env ?? {});
    this.#logCheck = setInterval(() => this.#logFiles.forEach(limitLog), LOG_CHECK_INTERVAL_MS).unref();
  }

  get apiUrl(): string {
    return this.#edgeUrl('EDGE_API_HOSTS', 'api');
  }

  get apiUrls(): readonly string[] {
    const edges = this.#processes.get('edge') ?? [];
    return edges.map((_, index) => this.#edgeUrl('EDGE_API_HOSTS', 'api', index));
  }

  get dashboardUrl(): string {
    return this.#edgeUrl('EDGE_DASHBOARD_HOSTS', 'dashboard');
  }

  get simulatorUrl(): string {
    return this.#origin('simulator', 'http');
  }

  get engines(): StackEngines {
    if (!this.#engines) throw new Error('the engines are not running');
    return this.#engines;
  }

  get providers(): ProviderPlan {
    return planProviders(this.#options.env ?? {}, this.simulatorUrl);
  }

  async start(): Promise<void> {
    this.#options.signal?.addEventListener('abort', () => void this.stopNow(), { once: true });
    await this.#holdPorts();
    const started = new Map<string, Promise<unknown>>([['engines', this.#startEngines()]]);
    for (const service of SERVICES) {
      const before = service.after.map((name) => started.get(name));
      started.set(
        service.name,
        Promise.all(before).then(() => this.#startService(service)),
      );
    }
    this.#starting = [...started.values()];
    try {
      await Promise.all(this.#starting);
      await this.ready();
    } catch (error) {
      await this.stopNow();
      throw error;
    }
  }

  pid(service: ServiceName, index = 0): number {
    const { pid, name } = this.#process(service, index);
    if (pid === undefined) throw new Error(`${name} is down`);
    return pid;
  }

  processes(): StackProcess[] {
    return [...this.#processes].flatMap(([service, processes]) =>
      processes.flatMap(({ pid }, index) => (pid === undefined ? [] : [{ service, index, pid }])),
    );
  }

  adminUrl(service: ServiceName, index = 0): string {
    return this.#origin(service, 'admin', index);
  }

  grpcAddress(service: ServiceName, index = 0): string {
    const { name, ports, host } = this.#process(service, index);
    if (ports.grpc === undefined) throw new Error(`${name} has no gRPC server`);
    return `${host}:${ports.grpc}`;
  }

  httpUrl(service: ServiceName): string {
    return this.#origin(service, 'http');
  }

  trustSettings(service: Caller): Record<string, string> {
    return trustOf({ secrets: this.secrets, certificates: this.#options.certificates }, service);
  }

  kill(service: ServiceName, index = 0, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.#process(service, index).kill(signal);
  }

  async restart(
    service: ServiceName,
    index?: number,
    stopTimeoutMs = SERVICE_STOP_TIMEOUT_MS,
  ): Promise<void> {
    const all = this.#processes.get(service) ?? [];
    const chosen = index === undefined ? all : [this.#process(service, index)];
    await Promise.all(
      chosen.map(async (process) => {
        await process.stop(stopTimeoutMs);
        await process.start();
      }),
    );
  }

  async replace(service: ServiceName, checkout: string): Promise<void> {
    this.#checkouts.set(service, checkout);
    await this.restart(service);
  }

  async add(service: ServiceName): Promise<number> {
    const definition = SERVICES.find(({ name }) => name === service);
    const processes = this.#processes.get(service);
    if (!definition || !processes) throw new Error(`${service} is not running`);
    const index = processes.length;
    const process = await this.#createProcess(definition, index, false);
    processes.push(process);
    await process.start();
    return index;
  }

  async remove(service: ServiceName, index: number, stopTimeoutMs = SERVICE_STOP_TIMEOUT_MS): Promise<void> {
    const process = this.#process(service, index);
    this.#removed.add(process);
    await process.stop(stopTimeoutMs);
  }

  async ready(timeoutMs = READY_TIMEOUT_MS): Promise<void> {
    const addresses = () =>
      [...this.#processes].flatMap(([service, processes]) =>
        processes.flatMap((process, index) => {
          if (this.#removed.has(process)) return [];
          const { name, ready } = process;
          return [{ name, adminUrl: ready ? this.adminUrl(service, index) : undefined }];
        }),
      );
    await waitUntilReady(addresses, timeoutMs, () => this.#stopping !== undefined);
  }

  stop(): Promise<void> {
    this.#stopByMs = Math.min(this.#stopByMs, Date.now() + SERVICES_STOP_TIMEOUT_MS);
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  stopNow(): Promise<void> {
    this.#stopByMs = 0;
    // Processes that are already stopping gracefully.
    for (const processes of this.#processes.values()) {
      for (const process of processes) void process.kill('SIGKILL');
    }
    return this.stop();
  }

  async #stopAll(): Promise<void> {
    clearInterval(this.#logCheck);
    if (this.#stopByMs === 0) await this.#killAll();
    // Callers stop before the services that they call, so that calls in flight can complete.
    for (const level of stopLevels()) {
      const processes = level.flatMap((name) => this.#processes.get(name) ?? []);
      const timeoutMs = Math.max(0, Math.min(SERVICE_STOP_TIMEOUT_MS, this.#stopByMs - Date.now()));
      await Promise.all(processes.map((process) => process.stop(timeoutMs)));
    }
    await Promise.allSettled(this.#starting);
    await this.#engines?.stop();
    this.#release();
  }

  async #killAll(): Promise<void> {
    const all = [...this.#processes.values()].flat();
    await Promise.all(all.map((process) => process.stop(0)));
  }

  async #startEngines(): Promise<void> {
    this.#engines = await startEngines({
      dataDir: this.dataDir,
      given: this.#options.engines ?? {},
      log: this.#log,
      onGiveUp: (error) => this.#options.onGiveUp?.(error),
    });
    this.#databaseUrls = await prepareDatabases({
      ownerUrl: this.#engines.databaseUrl,
      given: this.#options.engines?.serviceDatabaseUrls,
      secret: this.secrets.databaseSecret,
      log: this.#log,
    });
  }

  async #holdPorts(): Promise<void> {
    const { useDefaultPorts, instances } = this.#options;
    for (const { name, ports, isAddressedEarly } of SERVICES) {
      if (!isAddressedEarly) continue;
      const held = Array.from({ length: instances?.[name] ?? 1 }, (_, index) =>
        holdLoopbackPort(useDefaultPorts && index === 0 ? ports.grpc?.defaultPort : undefined),
      );
      this.#heldPorts.set(name, await Promise.all(held));
    }
  }

  async #startService(
    service: ServiceDefinition,
    useDefaultPorts = this.#options.useDefaultPorts,
  ): Promise<void> {
    const count = this.#options.instances?.[service.name] ?? 1;
    const processes: ServiceProcess[] = [];
    for (let index = 0; index < count; index++) {
      processes.push(await this.#createProcess(service, index, useDefaultPorts === true && index === 0));
    }
    if (this.#stopping) return;
    this.#processes.set(service.name, processes);
    for (const { release } of this.#heldPorts.get(service.name) ?? []) await release();
    try {
      await Promise.all(processes.map((process) => process.start()));
    } catch (error) {
      // Another stack may have taken a default port since it was found free.
      if (!useDefaultPorts || !String(error).includes('EADDRINUSE') || this.#stopping) throw error;
      await Promise.all(processes.map((process) => process.stop(0)));
      await this.#startService(service, false);
    }
  }

  async #createProcess(
    service: ServiceDefinition,
    index: number,
    useDefaultPorts: boolean,
  ): Promise<ServiceProcess> {
    const name = index === 0 ? service.name : `${service.name}-${index}`;
    const logFile = join(this.logDir, `${name}.log`);
    rotateLog(logFile);
    this.#logFiles.add(logFile);
    const ports: Record<string, string> = {};
    const portSettings: Record<string, string> = {};
    for (const [port, { setting, defaultPort }] of Object.entries(service.ports)) {
      portSettings[port] = setting;
      const held = port === 'grpc' ? this.#heldPorts.get(service.name)?.[index]?.port : undefined;
      const preferred = useDefaultPorts && defaultPort > 0 ? await freeLoopbackPort(defaultPort) : 0;
      ports[setting] = String(held ?? preferred);
    }
    return new ServiceProcess({
      name,
      commandPrefix: this.#options.commandPrefix?.(service.name, index),
      nodePath: node24(),
      nodeFlags: NODE_FLAGS,
      script: () =>
        join(this.#checkouts.get(service.name) ?? REPOSITORY, 'services', service.name, 'dist/main.js'),
      env: {
        ...inheritedSettings(this.#options.env ?? {}),
        ...ports,
        ...(service.name !== 'simulator' && trustOf(this.#context(), service.name)),
        ...service.settings(this.#context(), index),
        ...this.#options.settings?.[service.name],
        ...this.#options.instanceSettings?.(service.name, index),
      },
      portSettings,
      logFile,
      autoRestart: this.#options.autoRestart ?? true,
      log: this.#log,
      onGiveUp: (error) => this.#options.onGiveUp?.(error),
    });
  }

  #context(): StackContext {
    const stack = this;
    return {
      dataDir: this.dataDir,
      secrets: this.secrets,
      certificates: this.#options.certificates,
      kafkaTopicPrefix: this.#options.kafkaTopicPrefix ?? '',
      chatJournal: this.#options.chatJournal ?? 'file',
      get engines() {
        return stack.engines;
      },
      databaseUrl: (name) => this.#databaseUrls?.[name] ?? '',
      get providers() {
        return stack.providers.settings;
      },
      addresses(name) {
        const held = stack.#heldPorts.get(name)?.map(({ port }) => port);
        const ports = held ?? (stack.#processes.get(name) ?? []).map((process) => process.ports.grpc);
        return ports.map((port) => `127.0.0.1:${port}`).join(',');
      },
      origin: (name) => this.#origin(name, 'http'),
    };
  }

  #process(service: ServiceName, index = 0): ServiceProcess {
    const process = this.#processes.get(service)?.[index];
    if (!process) throw new Error(`there is no ${service} ${index}`);
    return process;
  }

  #edgeUrl(hostsSetting: string, port: string, index = 0): string {
    const hosts = this.#options.settings?.edge?.[hostsSetting] ?? this.#options.env?.[hostsSetting];
    const host = hosts?.split(',')[0]?.trim();
    return host
      ? `http://${host}:${this.#process('edge', index).ports.api}`
      : this.#origin('edge', port, index);
  }

  #origin(service: ServiceName, port: string, index = 0): string {
    const { host, ports } = this.#process(service, index);
    const isTls = this.#options.certificates !== undefined && service === 'dashboard' && port === 'http';
    return `${isTls ? 'https' : 'http'}://${host}:${ports[port]}`;
  }
}

/** Returns the services in groups that can stop at the same time, callers before the services that they call. */
function stopLevels(): ServiceName[][] {
  const levels: ServiceName[][] = [];
  let left = [...SERVICES];
  while (left.length > 0) {
    const needed = new Set(left.flatMap(({ after }) => after));
    levels.push(left.filter(({ name }) => !needed.has(name)).map(({ name }) => name));
    left = left.filter(({ name }) => needed.has(name));
  }
  return levels;
}
