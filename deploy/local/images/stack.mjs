import { run } from '../../../tools/engines/commands.mjs';
import { waitUntil } from '../../../tools/engines/processes.mjs';
import { imageOf } from './build.mjs';
import { STAND_INS } from './stand-ins.mjs';

const START_TIMEOUT_MS = 5 * 60_000;
const STOP_TIMEOUT_S = 40;
const MAX_RESTARTS = 10;
const POLL_INTERVAL_MS = 500;

/**
 * Runs the services of a compose file with podman, as far as docker-compose.yml uses the format. podman-compose needs systemd
 * for the health checks that services wait for.
 */
export class ComposeStack {
  #compose;
  #project;
  #options;
  #image;
  #started = new Map();

  /** @param project a name that no other stack of this machine has */
  constructor({ compose, project, env, logFile, hasStandIns }) {
    this.#compose = compose;
    this.#project = project;
    this.#options = { env, logFile, timeoutMs: 120_000 };
    this.#image = ({ build, image }) => {
      if (build) return imageOf(build.args.SERVICE);
      return hasStandIns ? STAND_INS[/(\w+):[^/]*$/.exec(image)[1]] : image;
    };
  }

  /** Returns once every service is healthy and every job has completed. */
  async up() {
    await this.#podman('network', 'create', this.#project);
    for (const volume of Object.keys(this.#compose.volumes))
      await this.#podman('volume', 'create', this.#name(volume));
    await Promise.all(this.names().map((name) => this.#start(name)));
    await Promise.all(this.names().map((name) => this.#reached(name)));
  }

  names() {
    return Object.keys(this.#compose.services);
  }

  /** The services that run; the others are jobs. */
  running() {
    return this.names().filter((name) => !this.#isJob(name));
  }

  exec(name, ...command) {
    return this.#podman('exec', this.#name(name), ...command);
  }

  logs(name) {
    const script = 'exec podman logs --tail 30 "$0" 2>&1';
    return run('sh', ['-c', script, this.#name(name)], this.#options);
  }

  /** Stops the services, those that depend on others first, and returns the exit code of each. */
  async stop() {
    const codes = {};
    for (const name of [...this.#started.keys()].reverse()) {
      await this.#podman('stop', '--time', String(STOP_TIMEOUT_S), this.#name(name));
      codes[name] = Number(await this.#inspect(name, '{{.State.ExitCode}}'));
    }
    return codes;
  }

  /** Removes containers, volumes and the network. */
  async down() {
    for (const name of this.names())
      await this.#podman('rm', '--force', '--ignore', '--volumes', '--time', '5', this.#name(name));
    for (const volume of Object.keys(this.#compose.volumes)) {
      await this.#podman('volume', 'rm', '--force', this.#name(volume));
    }
    await this.#podman('network', 'rm', '--force', this.#project);
  }

  #start(name) {
    if (!this.#started.has(name)) this.#started.set(name, this.#run(name));
    return this.#started.get(name);
  }

  async #run(name) {
    const service = this.#compose.services[name];
    const dependencies = Array.isArray(service.depends_on)
      ? service.depends_on.map((dependency) => [dependency, {}])
      : Object.entries(service.depends_on ?? {});
    await Promise.all(
      dependencies.map(async ([dependency, { condition }]) => {
        await this.#start(dependency);
        if (condition) await this.#reached(dependency);
      }),
    );
    const command = service.command ?? [];
    await this.#podman('run', ...this.#runOptions(name, service), this.#image(service), ...command);
  }

  #runOptions(name, service) {
    const each = (flag, values = []) => values.flatMap((value) => [flag, value]);
    const volumes = (service.volumes ?? []).map((volume) => `${this.#project}-${volume}`);
    const environment = Object.entries(service.environment ?? {}).map(([key, value]) => `${key}=${value}`);
    return [
      '--detach',
      ...['--name', this.#name(name), '--network', this.#project, '--network-alias', name],
      // The checks are run by this script: podman would need systemd.
      '--health-interval=disable',
      ...(service.healthcheck ? ['--health-cmd', service.healthcheck.test[1]] : []),
      ...['--restart', service.restart],
      ...(service.read_only ? ['--read-only', '--read-only-tmpfs=false'] : []),
      ...(service.user ? ['--user', service.user] : []),
      ...each('--cap-drop', service.cap_drop),
      ...each(
        '--security-opt',
        service.security_opt.map((option) => option.replace(/:true$/, '')),
      ),
      ...each('--tmpfs', service.tmpfs.map(tmpfsForPodman)),
      ...each('--volume', volumes),
      ...each('--publish', service.ports),
      ...each('--env', environment),
    ];
  }

  /** Waits until a job has completed or a service is healthy. */
  async #reached(name) {
    let state = '';
    const ended = await waitUntil(
      async () => {
        state = (await this.#inspect(name, '{{.State.Status}} {{.State.ExitCode}} {{.RestartCount}}')).trim();
        const [status, exitCode, restarts] = state.split(' ');
        if (Number(restarts) > MAX_RESTARTS)
          throw new Error(`${name} does not start:\n${await this.logs(name)}`);
        if (this.#isJob(name)) return status === 'exited' && exitCode === '0';
        return status === 'running' && (await this.#isHealthy(name));
      },
      START_TIMEOUT_MS,
      POLL_INTERVAL_MS,
    );
    if (!ended) throw new Error(`${name} is not ready (${state}):\n${await this.logs(name)}`);
  }

  #isHealthy(name) {
    return this.#podman('healthcheck', 'run', this.#name(name)).then(
      () => true,
      () => false,
    );
  }

  #isJob(name) {
    return name.endsWith('-migrate');
  }

  #inspect(name, format) {
    return this.#podman('inspect', '--format', format, this.#name(name));
  }

  #podman(...args) {
    return run('podman', args, this.#options);
  }

  #name(name) {
    return `${this.#project}-${name}`;
  }
}

/** podman has no option for the owner of a tmpfs, which gets the mode of the folder in the image. */
const tmpfsForPodman = (tmpfs) => tmpfs.split(':')[0];
