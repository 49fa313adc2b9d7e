import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pairSetting, pairsOf } from '@gateway/callers';
import { REPOSITORY } from '@gateway/local-stack';
import { trustSettings } from '@gateway/rpc';
import { describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { readSettings as billing } from '../../../services/billing/src/settings';
import { readSettings as catalog } from '../../../services/catalog/src/settings';
import { readSettings as chat } from '../../../services/chat/src/settings';
import { readSettings as dashboard } from '../../../services/dashboard/src/settings';
import { readSettings as edge } from '../../../services/edge/src/settings';
import { readSettings as media } from '../../../services/media/src/settings';
import { readSettings as simulator } from '../../../services/simulator/src/settings';
import { readSettings as storage } from '../../../services/storage/src/settings';
import {
  HELM,
  lint,
  type Manifest,
  manifestValidator,
  releaseOf,
  render,
  SCHEMAS,
  template,
  VALUE_SETS,
} from './helm-chart.fixture';

const read = (file: string) => readFileSync(join(REPOSITORY, file), 'utf8');
const READERS = { billing, catalog, chat, dashboard, edge, media, simulator, storage };
type Service = keyof typeof READERS;
const isService = (name: string): name is Service => Object.hasOwn(READERS, name);

const COMPONENT = 'app.kubernetes.io/component';
const componentOf = (labels: Record<string, string>): string => labels[COMPONENT] ?? '';

const ofKind = (set: string, ...kinds: string[]) => render(set).filter(({ kind }) => kinds.includes(kind));
const workloads = (set: string) => ofKind(set, 'Deployment', 'StatefulSet');
const pods = (set: string) =>
  ofKind(set, 'Deployment', 'StatefulSet', 'Job').map(({ spec }) => spec.template);
/** With this set, services find each other by EndpointSlices. */
const bySlices = (set: string) => set === 'autoscaling';
const CALLERS = ['chat', 'dashboard', 'edge', 'media', 'storage'];
/** This set installs the billing of a cell only, whose callers are in the release of the set `cell-home`. */
const isCell = (set: string) => set === 'cell-b';
/** The workloads of the services, without those of bundled engines. */
const services = (set: string) =>
  workloads(set).flatMap((workload): { service: Service; workload: Manifest; pod: Manifest }[] => {
    const service = componentOf(workload.metadata.labels);
    return isService(service) ? [{ service, workload, pod: workload.spec.template.spec }] : [];
  });

const RANDOM_BYTES = Buffer.alloc(32, 7);
/** Values of the Secrets that an operator creates. */
const EXISTING: Record<string, string> = {
  REDIS_URL: 'redis://:password@redis.example:6379',
  KEY_PEPPER: 'sixteen bytes or more',
  CREDENTIALS_KEY: RANDOM_BYTES.toString('base64'),
  STORAGE_KEY: RANDOM_BYTES.toString('base64'),
  JWT_SIGNING_KEY: RANDOM_BYTES.toString('base64url'),
};

/** Secrets by name, as the chart generates them. */
const generatedSecrets = (set: string): Map<string, Record<string, string>> =>
  new Map(
    ofKind(set, 'Secret').map(({ metadata, data }): [string, Record<string, string>] => [
      metadata.name,
      Object.fromEntries(
        Object.entries<string>(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
      ),
    ]),
  );

/** The environment in which the container starts. */
function environmentOf(set: string, container: Manifest): Record<string, string> {
  const secrets = generatedSecrets(set);
  return Object.fromEntries(
    container.env.map(({ name, value, valueFrom }: Manifest) => {
      if (value !== undefined) return [name, value];
      if (valueFrom.fieldRef) return [name, 'zone-a'];
      const { name: secret, key } = valueFrom.secretKeyRef;
      const generated = secrets.get(secret);
      if (generated) expect(Object.keys(generated)).toContain(key);
      return [name, generated?.[key] ?? EXISTING[name] ?? 'from an existing Secret'];
    }),
  );
}

/** The Service in the namespace that an address names, and its port by number or name. */
function namedService(namespace: string, value = ''): { service: string; port: string } | undefined {
  const [, service, port] =
    new RegExp(`^k8s://${namespace}/([\\w-]+):(\\w+)$`).exec(value) ??
    new RegExp(`([\\w-]+)\\.${namespace}\\.svc\\.cluster\\.local:(\\d+)`).exec(value) ??
    [];
  return service && port ? { service, port } : undefined;
}

const milliseconds = (file: string, constant: string) =>
  Number(new RegExp(`const ${constant} = ([\\d_]+);`).exec(read(file))?.[1]?.replaceAll('_', ''));

/** For the end of a shutdown, after calls have drained; without a drain, for all of it. */
const stopMsOf = (service: Service): number =>
  /stopTimeoutMs:/.test(read(`services/${service}/src/server.ts`))
    ? milliseconds(`services/${service}/src/server.ts`, 'STOP_REST_MS')
    : milliseconds('packages/process/src/stop-in-time.ts', 'DEFAULT_STOP_TIMEOUT_MS');

/** Whether the service reads the cells other than home, and whether it sends usage events to them. */
const readsCells = (service: Service): boolean =>
  read(`services/${service}/src/settings.ts`).includes('readCells(');
const deliversToCells = (service: Service): boolean =>
  readsCells(service) && read(`services/${service}/src/settings.ts`).includes('kafkaSettings');

const settingsOf = (service: Service): Set<string> => {
  const files = [
    `services/${service}/src/settings.ts`,
    'packages/process/src/settings.ts',
    'packages/kafka/src/kafka-settings.ts',
    ...(service === 'billing' ? ['services/billing/src/rates/redis/redis-settings.ts'] : []),
  ];
  const names = files.flatMap((file) => [...read(file).matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)]);
  const trust = service === 'simulator' ? {} : trustSettings(service);
  const ofCells = [
    ...(readsCells(service) ? ['CELLS', 'BILLING_ADDR_B', 'BILLING_ADDR_C'] : []),
    ...(deliversToCells(service) ? ['KAFKA_BROKERS_B', 'KAFKA_BROKERS_C'] : []),
  ];
  return new Set([...names.map(([, name = '']) => name), ...Object.keys(trust), ...ofCells]);
};
/** Read by the registries of providers. */
const PROVIDER_SETTING =
  /^(?:[A-Z]+_(?:API_KEY|ACCESS_KEY|SECRET_KEY|BASE_URL)|CREDENTIAL_[A-Z0-9_]+|ALLOW_SIMULATOR)$/;

/** The arrows of docs/architecture.md as `caller → callee`. */
function documentedArrows(): Set<string> {
  const [, chart = ''] = /```mermaid\nflowchart LR\n([\s\S]*?)```/.exec(read('docs/architecture.md')) ?? [];
  const nodes = (text: string) => text.split('&').map((node) => node.trim().replace(/[[(].*/, ''));
  const arrows = new Set<string>();
  for (const line of chart.trim().split('\n')) {
    const [, from = '', label = '', to = ''] = /^ *(.+?) --(?: (.+) --)?[->] ?(.+)$/.exec(line) ?? [];
    // A stream is opened by its receiver.
    for (const left of nodes(from))
      for (const right of nodes(to))
        arrows.add(label === 'stream' ? `${right} → ${left}` : `${left} → ${right}`);
  }
  return arrows;
}

/** Pairs of components of the release that policies allow to connect, from the callers' or from the callees' policies. */
function allowedPairs(set: string, direction: 'ingress' | 'egress'): Set<string> {
  const pairs = new Set<string>();
  for (const { spec } of ofKind(set, 'NetworkPolicy')) {
    const own = componentOf(spec.podSelector.matchLabels);
    for (const rule of spec[direction] ?? [])
      for (const { podSelector, namespaceSelector } of (direction === 'ingress' ? rule.from : rule.to) ?? [])
        if (podSelector && !namespaceSelector) {
          const other = componentOf(podSelector.matchLabels);
          pairs.add(direction === 'ingress' ? `${other} → ${own}` : `${own} → ${other}`);
        }
  }
  return pairs;
}

const sorted = (items: Iterable<string>) => [...items].sort();

const described = HELM && SCHEMAS ? describe : describe.skip;

described.each(VALUE_SETS)('the Helm chart with the values of ci/%s-values.yaml', (set) => {
  test('passes helm lint', () => {
    expect(lint(set)).toContain('0 chart(s) failed');
  });

  test('renders manifests without a field that Kubernetes does not know, and with names that are unique', () => {
    const problems = manifestValidator();
    expect(render(set).flatMap(problems)).toEqual([]);
    const names = render(set).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(sorted(names)).toEqual(sorted(new Set(names)));
  });

  test('gives every service an environment that its settings accept', () => {
    for (const { service, pod } of services(set)) {
      const environment = environmentOf(set, pod.containers[0]);
      const settings = settingsOf(service);
      const unknown = Object.keys(environment).filter((name) => !settings.has(name));
      expect(unknown.filter((name) => !PROVIDER_SETTING.test(name))).toEqual([]);
      expect(() => READERS[service](environment)).not.toThrow();
    }
  });

  test('gives every service its certificate, or the secret of each pair that it belongs to', () => {
    const enabled: string[] = isCell(set)
      ? Object.keys(READERS)
      : services(set).map(({ service }) => service);
    for (const { service, pod } of services(set)) {
      if (service === 'simulator') continue;
      const [{ env, volumeMounts }] = pod.containers;
      const names: string[] = env.map(({ name }: Manifest) => name);
      const ofPairs = names.filter((name) => name.startsWith('SERVICE_SECRET_'));
      const pairs = pairsOf(service).filter((pair) => pair.every((one) => enabled.includes(one)));
      const tls = names.includes('GRPC_TLS_CERT_FILE');
      expect([service, tls]).toEqual([service, set === 'autoscaling']);
      expect(sorted(ofPairs)).toEqual(tls ? [] : sorted(pairs.map((pair) => pairSetting(...pair))));
      if (!tls) continue;
      expect(volumeMounts).toContainEqual({ name: 'tls', mountPath: '/tls', readOnly: true });
      const secret = { secretName: `gateway-${service}-tls`, defaultMode: 0o440 };
      expect(pod.volumes).toContainEqual({ name: 'tls', secret });
    }
  });

  test('gives each chat a volume for its journal, or none with the journal in PostgreSQL', () => {
    const chat = services(set).find(({ service }) => service === 'chat');
    if (isCell(set)) return expect(chat).toBeUndefined();
    const { env, volumeMounts } = chat?.pod.containers[0] ?? {};
    const names: string[] = env.map(({ name }: Manifest) => name);
    const inPostgresql = set === 'autoscaling';
    expect({
      kind: chat?.workload.kind,
      database: names.includes('DATABASE_URL'),
      folder: names.includes('DATA_DIR'),
      volumes: (chat?.workload.spec.volumeClaimTemplates ?? []).length,
      mounted: volumeMounts.some(({ mountPath }: Manifest) => mountPath === '/data'),
    }).toEqual({
      kind: inPostgresql ? 'Deployment' : 'StatefulSet',
      database: inPostgresql,
      folder: !inPostgresql,
      volumes: inPostgresql ? 0 : 1,
      mounted: !inPostgresql,
    });
  });

  test('listens on the ports that probes, services and addresses name', () => {
    const ports = new Map<string, number>();
    for (const { service, pod } of services(set)) {
      const [container] = pod.containers;
      const settings = READERS[service](environmentOf(set, container)) as Record<string, unknown>;
      for (const { name, containerPort } of container.ports) {
        const setting =
          service === 'edge' && name !== 'admin'
            ? `EDGE_${name.toUpperCase()}_PORT`
            : `${name.toUpperCase()}_PORT`;
        expect([service, name, containerPort]).toEqual([service, name, settings[setting]]);
        ports.set(`${service} ${name}`, containerPort);
      }
    }
    const byName = new Map(ofKind(set, 'Service').map((manifest) => [manifest.metadata.name, manifest]));
    for (const { pod } of services(set))
      for (const { name, value } of pod.containers[0].env) {
        const named = namedService(releaseOf(set).namespace, value);
        if (!named) continue;
        const { spec } = byName.get(named.service);
        const ports = spec.ports.flatMap((one: Manifest) => [one.name, String(one.port)]);
        expect([name, ports]).toEqual([name, expect.arrayContaining([named.port])]);
        // Peers that are balanced by their callers are listed by address.
        if (name.endsWith('_ADDR'))
          expect([name, spec.clusterIP, value.startsWith('k8s://')]).toEqual([name, 'None', bySlices(set)]);
      }
  });

  test('gives every pod the time that its process may take to stop, and little more', () => {
    for (const { service, pod } of services(set)) {
      const [container] = pod.containers;
      const environment = environmentOf(set, container);
      const drainMs = Number(environment.DRAIN_TIMEOUT_MS ?? environment.EDGE_STOP_GRACE_MS ?? 0);
      const lameDuckMs = Number(environment.EDGE_LAME_DUCK_MS ?? 0);
      const preStopMs = 1_000 * (container.lifecycle?.preStop.sleep.seconds ?? 0);
      const marginMs =
        1_000 * pod.terminationGracePeriodSeconds - preStopMs - lameDuckMs - drainMs - stopMsOf(service);
      expect([service, marginMs >= 5_000 && marginMs <= 30_000]).toEqual([service, true]);
      if (service === 'chat') expect(Number(environment.ABANDONED_CALL_TIMEOUT_MS)).toBeLessThan(drainMs);
    }
    const settings = new Map(
      services(set).map(({ service, pod }) => [service, environmentOf(set, pod.containers[0])]),
    );
    expect(settings.get('edge')?.EDGE_STOP_GRACE_MS).toBe(settings.get('chat')?.DRAIN_TIMEOUT_MS);
  });

  test('probes each process often enough for the time in which it announces that it stops', () => {
    const checkMs = milliseconds('packages/process/src/admin-server.ts', 'CHECK_TIMEOUT_MS');
    for (const { service, pod } of services(set)) {
      const [{ env, startupProbe, livenessProbe, readinessProbe }] = pod.containers;
      const windowMs = ({ periodSeconds, failureThreshold, timeoutSeconds }: Manifest) =>
        1_000 * (periodSeconds * failureThreshold + timeoutSeconds);
      expect([service, livenessProbe.httpGet, readinessProbe.httpGet, startupProbe.httpGet]).toEqual([
        service,
        { path: '/livez', port: 'admin' },
        { path: '/readyz', port: 'admin' },
        { path: '/livez', port: 'admin' },
      ]);
      expect(1_000 * readinessProbe.timeoutSeconds).toBeGreaterThan(checkMs);
      // A service waits a minute for its migrations.
      expect(windowMs(startupProbe)).toBeGreaterThan(90_000);
      // A process whose event loop is busy for a while is not killed with its calls.
      expect(windowMs(livenessProbe)).toBeGreaterThan(30_000);
      const lameDuck = env.find(({ name }: Manifest) => name === 'EDGE_LAME_DUCK_MS');
      if (lameDuck) expect(Number(lameDuck.value)).toBeGreaterThan(windowMs(readinessProbe));
    }
  });

  test('gives a token of the API server to the callers that list EndpointSlices with it, and to no other pod', () => {
    const callers = services(set).filter(({ pod }) =>
      pod.containers[0].env.some(({ value = '' }: Manifest) => value.startsWith('k8s://')),
    );
    expect(sorted(callers.map(({ service }) => service))).toEqual(bySlices(set) ? CALLERS : []);
    const withToken = pods(set).filter(({ spec }) => spec.automountServiceAccountToken !== false);
    expect(sorted(withToken.map(({ metadata }) => componentOf(metadata.labels)))).toEqual(
      sorted(callers.map(({ service }) => service)),
    );
    expect(ofKind(set, 'Role').map(({ rules }) => rules)).toEqual(
      bySlices(set)
        ? [[{ apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] }]]
        : [],
    );
    const { namespace } = releaseOf(set);
    const accounts = callers.map(({ pod }) => `${namespace} ServiceAccount ${pod.serviceAccountName}`);
    const subjects = ofKind(set, 'RoleBinding').flatMap((binding) => binding.subjects);
    expect(sorted(subjects.map(({ namespace, kind, name }) => `${namespace} ${kind} ${name}`))).toEqual(
      sorted(accounts),
    );
    for (const { pod } of callers)
      expect(pod.containers[0].env).toContainEqual({
        name: 'ZONE',
        valueFrom: { fieldRef: { fieldPath: "metadata.labels['topology.kubernetes.io/zone']" } },
      });
  });

  test('confines every container', () => {
    for (const { metadata, spec } of pods(set)) {
      const name = componentOf(metadata.labels);
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const { securityContext, resources, image } of spec.containers) {
        expect([name, securityContext]).toEqual([
          name,
          { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        ]);
        expect(resources).toMatchObject({
          requests: { cpu: expect.anything() },
          limits: { memory: expect.anything() },
        });
        expect(image).toMatch(/:\d+\.\d+[\w.-]*$|@sha256:[0-9a-f]{64}$/);
      }
    }
  });

  test('has secret values in Secrets only', () => {
    const secrets = [...generatedSecrets(set).values()].flatMap((data) => Object.values(data));
    const others = JSON.stringify(render(set).filter(({ kind }) => kind !== 'Secret'));
    expect(secrets.filter((secret) => others.includes(secret))).toEqual([]);
    const shown = pods(set)
      .flatMap(({ spec }) => spec.containers.flatMap(({ env }: Manifest) => env ?? []))
      .filter(
        ({ name, value }) => /SECRET|PASSWORD|PEPPER|DATABASE_URL|REDIS_URL|_KEYS?$/.test(name) && value,
      );
    expect(shown.filter(({ value }) => value !== 'simulated')).toEqual([]);
  });

  test('runs the migrations of each service with a database, before it when PostgreSQL is external', () => {
    const databases = services(set).filter(({ pod }) =>
      pod.containers[0].env.some(({ name }: Manifest) => name === 'DATABASE_URL'),
    );
    const jobs = ofKind(set, 'Job');
    expect(sorted(jobs.map(({ spec }) => spec.template.spec.containers[0].image))).toEqual(
      sorted(databases.map(({ pod }) => pod.containers[0].image)),
    );
    for (const { metadata, spec } of jobs) {
      const names = spec.template.spec.containers[0].env.map(({ name }: Manifest) => name);
      expect(sorted(names)).toEqual(['DATABASE_URL', 'MIGRATION_DATABASE_URL']);
      // The log of a job that failed for good must remain.
      expect(spec.template.spec.restartPolicy).toBe('Never');
      expect(metadata.annotations?.['helm.sh/hook']).toBe(
        set === 'trial' ? undefined : 'pre-install,pre-upgrade',
      );
    }
  });

  test('scales and evicts pods of existing workloads, one for each time that a pod may take to stop', () => {
    const byName = new Map(workloads(set).map((workload) => [workload.metadata.name, workload]));
    const metrics = read('docs/operations/metrics.md');
    for (const { spec } of ofKind(set, 'HorizontalPodAutoscaler')) {
      const workload = byName.get(spec.scaleTargetRef.name);
      expect(workload.kind).toBe(spec.scaleTargetRef.kind);
      expect(workload.spec.replicas).toBeUndefined();
      const [{ value, periodSeconds }] = spec.behavior.scaleDown.policies;
      expect(value).toBe(1);
      expect(periodSeconds).toBeGreaterThanOrEqual(workload.spec.template.spec.terminationGracePeriodSeconds);
      for (const { pods: perPod } of spec.metrics)
        if (perPod) expect(metrics).toContain(`\`${perPod.metric.name}\``);
    }
    for (const { spec } of ofKind(set, 'PodDisruptionBudget')) {
      const labels = spec.selector.matchLabels;
      const [workload] = workloads(set).filter(
        ({ metadata }) => componentOf(metadata.labels) === componentOf(labels),
      );
      expect(workload.spec.replicas ?? 2).toBeGreaterThan(1);
      expect(workload.spec.template.metadata.labels).toMatchObject(labels);
    }
  });

  test('lets callers and callees agree on which connections are allowed', () => {
    const engines = new Set(['postgresql', 'redis', 'kafka']);
    const toBundled = (pair: string) => engines.has(pair.split(' → ')[1] ?? '');
    const [incoming, outgoing] = [allowedPairs(set, 'ingress'), allowedPairs(set, 'egress')];
    expect(sorted(incoming)).toEqual(sorted(outgoing));
    if (set !== 'trial') expect([...outgoing].filter(toBundled)).toEqual([]);
  });
});

described('the NetworkPolicies of the Helm chart', () => {
  const arrows = documentedArrows();

  test('allow exactly the arrows of docs/architecture.md between services', () => {
    const names = new Set<string>(Object.keys(READERS));
    const between = (pairs: Iterable<string>) =>
      sorted([...pairs].filter((pair) => pair.split(' → ').every((name) => names.has(name))));
    const expected = [...arrows, 'chat → simulator', 'media → simulator'];
    expect(between(expected).length).toBeGreaterThan(15);
    expect(between(allowedPairs('trial', 'egress'))).toEqual(between(expected));
  });

  test('allow exactly the services with arrows to an engine to connect to it', () => {
    const to = (...nodes: string[]) =>
      sorted(
        [...arrows].flatMap((arrow) => {
          const [caller = '', callee = ''] = arrow.split(' → ');
          return nodes.includes(callee) ? [caller] : [];
        }),
      );
    const callersOf = (engine: string) =>
      sorted([...allowedPairs('trial', 'ingress')].filter((pair) => pair.endsWith(` → ${engine}`))).map(
        (pair) => pair.split(' → ')[0],
      );
    expect(callersOf('postgresql')).toEqual(sorted([...to('pg', 'pgm', 'pgs', 'pgc', 'pgd'), 'migrate']));
    expect(callersOf('redis')).toEqual(to('redis'));
    // Usage events: `chat & media -- usage.v1 (Kafka or gRPC) --> billing`.
    expect(read('docs/architecture.md')).toContain('chat & media -- usage.v1 (Kafka or gRPC) --> billing');
    expect(callersOf('kafka')).toEqual(['billing', 'chat', 'media']);
  });

  test.each(['trial', 'production'])(
    'let only those services reach the internet that need it with the values %s',
    (set) => {
      const reaching = ofKind(set, 'NetworkPolicy')
        .filter(({ spec }) =>
          spec.egress?.some(({ to }: Manifest) => to?.some((peer: Manifest) => peer.ipBlock)),
        )
        .map(({ spec }) => componentOf(spec.podSelector.matchLabels));
      // Providers; the price list; the keys of the secret scanner; the bucket.
      const expected = [
        'chat',
        'media',
        'catalog',
        'dashboard',
        ...(set === 'production' ? ['storage'] : []),
      ];
      expect(sorted(reaching)).toEqual(sorted(expected));
    },
  );

  test.each([
    ['Sentinels', 'redis', 'billing.env.REDIS_SENTINELS=s:26379', [6379, 26379]],
    ['a Redis cluster', 'redis', 'billing.env.REDIS_CLUSTER=a:6379\\,b:6379', [6379]],
    ['a Redis whose URL is in extraEnv', 'redis', 'billing.extraEnv[0].name=REDIS_URL', [6379]],
    ['Kafka', 'kafka', 'env.KAFKA_BROKERS=kafka:9092', [9092]],
  ])('let billing reach %s that settings name, and catalog not', (_what, engine, setting, ports) => {
    const cidr = '192.0.2.7/32';
    const { output, status } = template([
      '--set',
      'publicApiUrl=https://api.example.com,postgresql.existingSecret=pg',
      '--set',
      setting,
      '--set',
      `networkPolicy.${engine}To[0].ipBlock.cidr=${cidr},networkPolicy.${engine}Ports={${ports}}`,
    ]);
    expect([status, status === 0 ? '' : output]).toEqual([0, '']);
    const egressOf = (service: string) =>
      parseAllDocuments(output)
        .map((document) => document.toJS())
        .find((one) => one?.kind === 'NetworkPolicy' && one.metadata.name === `gw-model-gateway-${service}`)
        .spec.egress;
    const allowed = { to: [{ ipBlock: { cidr } }], ports: ports.map((port) => ({ port, protocol: 'TCP' })) };
    expect(egressOf('billing')).toContainEqual(allowed);
    expect(egressOf('catalog')).not.toContainEqual(allowed);
  });

  test('let the services that find others by EndpointSlices reach the API server, and no other service', () => {
    const peer = { ipBlock: { cidr: '192.0.2.1/32' } };
    const reaching = ofKind('autoscaling', 'NetworkPolicy').filter(({ spec }) =>
      spec.egress?.some(({ to }: Manifest) => JSON.stringify(to) === JSON.stringify([peer])),
    );
    expect(sorted(reaching.map(({ spec }) => componentOf(spec.podSelector.matchLabels)))).toEqual(CALLERS);
    for (const { spec } of reaching)
      expect(spec.egress).toContainEqual({ to: [peer], ports: [{ port: 6443, protocol: 'TCP' }] });
  });
});

described('the Helm chart with cells', () => {
  const settings = (set: string, service: Service) => {
    const found = services(set).find((one) => one.service === service);
    return READERS[service](environmentOf(set, found?.pod.containers[0])) as Record<string, unknown>;
  };
  const kafkaBrokers = ['kafka-0.kafka.engines-b:9093', 'kafka-1.kafka.engines-b:9093'];

  test('gives exactly the services that read the cells their addresses, and their brokers to those that send events', () => {
    const b = { name: 'b', addresses: ['gateway-b-model-gateway-billing.gateway-b.svc.cluster.local:7102'] };
    const c = { name: 'c', addresses: ['billing.gateway-c.svc.clusterset.local:7102'] };
    for (const { service, pod } of services('cell-home')) {
      const names: string[] = pod.containers[0].env.map(({ name }: Manifest) => name);
      const ofCells = names.filter((name) => /^(NEW_ACCOUNT_CELLS|CELLS?|[A-Z_]+_[BC])$/.test(name));
      expect([service, sorted(ofCells)]).toEqual([
        service,
        sorted([
          ...(readsCells(service) ? ['CELLS', 'BILLING_ADDR_B', 'BILLING_ADDR_C'] : []),
          ...(deliversToCells(service) ? ['KAFKA_BROKERS_B'] : []),
          ...(service === 'dashboard' ? ['NEW_ACCOUNT_CELLS'] : []),
        ]),
      ]);
      if (!readsCells(service)) continue;
      expect(settings('cell-home', service).cells).toEqual([
        { ...b, kafkaBrokers: deliversToCells(service) ? kafkaBrokers : undefined },
        c,
      ]);
    }
    expect(settings('cell-home', 'dashboard').newAccountCells).toEqual(['b', 'c']);
  });

  test('installs billing only in another cell, at the address and with the brokers that home has', () => {
    expect(services('cell-b').map(({ service }) => service)).toEqual(['billing']);
    const components = render('cell-b').map(({ metadata }) => componentOf(metadata.labels));
    expect(sorted(new Set(components))).toEqual(['billing', 'migrate']);
    expect(settings('cell-b', 'billing')).toMatchObject({
      cell: 'b',
      kafka: { brokers: kafkaBrokers, topicPrefix: 'b.' },
    });
    const edge = services('cell-home').find(({ service }) => service === 'edge');
    const { BILLING_ADDR_B } = environmentOf('cell-home', edge?.pod.containers[0]);
    const named = namedService(releaseOf('cell-b').namespace, BILLING_ADDR_B);
    const [service] = ofKind('cell-b', 'Service');
    expect(named?.service).toBe(service.metadata.name);
    expect(service.spec.ports.map(({ port }: Manifest) => String(port))).toContain(named?.port);
  });

  test("lets exactly the services that read the cells connect to a cell's billing, in the policies of both releases", () => {
    const admits = (peer: Manifest, set: string, labels: Record<string, string>) =>
      peer.namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === releaseOf(set).namespace &&
      Object.entries(peer.podSelector?.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
    const policyOf = (set: string, service: string) =>
      ofKind(set, 'NetworkPolicy').find(({ spec }) => componentOf(spec.podSelector.matchLabels) === service)
        .spec;
    const labelsOf = (set: string, name: Service) =>
      services(set).find(({ service }) => service === name)?.workload.spec.template.metadata.labels;
    const ofGrpc = ({ ports }: Manifest) => ports.some(({ port }: Manifest) => port === 'grpc');
    const billing = policyOf('cell-b', 'billing');
    const elsewhere = {
      to: [{ ipBlock: { cidr: '192.0.2.0/24' } }],
      ports: [{ port: 7102, protocol: 'TCP' }],
    };
    for (const { service } of services('cell-home')) {
      const { egress } = policyOf('cell-home', service);
      const isOut = egress
        .filter(ofGrpc)
        .some(({ to }: Manifest) =>
          to?.some((peer: Manifest) => admits(peer, 'cell-b', labelsOf('cell-b', 'billing'))),
        );
      const isIn = billing.ingress
        .filter(ofGrpc)
        .some(({ from }: Manifest) =>
          from.some((peer: Manifest) => admits(peer, 'cell-home', labelsOf('cell-home', service))),
        );
      const isOutElsewhere = JSON.stringify(egress).includes(JSON.stringify(elsewhere));
      expect([service, isOut, isIn, isOutElsewhere]).toEqual([
        service,
        ...Array(3).fill(readsCells(service)),
      ]);
    }
  });

  test.each([
    ['', 'k8s://prod/gateway-b-model-gateway-billing:grpc'],
    ['gateway-b', 'gateway-b-model-gateway-billing.gateway-b.svc.cluster.local:7102'],
  ])('lists the EndpointSlices of a cell in its own namespace only: namespace "%s"', (namespace, address) => {
    const { output } = template([
      '--set',
      'publicApiUrl=https://api.example.com,postgresql.existingSecret=pg,discovery=endpointslices,fullnameOverride=mg',
      '--set',
      `cells.b.release=gateway-b,cells.b.namespace=${namespace}`,
    ]);
    expect(output).toContain(`- name: BILLING_ADDR_B\n              value: "${address}"`);
  });

  test('lets the services of home in another cluster connect to billing by homeFrom, and those that are disabled there not', () => {
    const inCell = [
      '--set',
      'cell=b,secrets.existingSecret=s,postgresql.existingSecret=pg,media.enabled=false',
    ];
    const billing = (...options: string[]) =>
      parseAllDocuments(template([...inCell, '--set', ...options]).output)
        .map((document) => document.toJS())
        .filter((one) => one?.metadata.name === 'gw-model-gateway-billing');
    const peer = { ipBlock: { cidr: '192.0.2.0/24' } };
    const elsewhere = billing(`networkPolicy.homeFrom[0].ipBlock.cidr=${peer.ipBlock.cidr}`);
    const { spec } = elsewhere.find(({ kind }) => kind === 'NetworkPolicy');
    expect(spec.ingress).toContainEqual({ from: [peer], ports: [{ port: 'grpc', protocol: 'TCP' }] });
    const here = JSON.stringify(billing('home.release=gateway'));
    expect(here).toContain('"kubernetes.io/metadata.name":"prod"');
    expect(here).toContain('SERVICE_SECRET_STORAGE_TO_BILLING');
    expect(here).not.toMatch(/SERVICE_SECRET_MEDIA_TO_BILLING|"media"/);
  });
});

described('the Helm chart refuses', () => {
  const required = ['--set', 'publicApiUrl=https://api.example.com,postgresql.existingSecret=pg'];

  test.each([
    [
      'an installation without PostgreSQL',
      ['--set', 'publicApiUrl=https://a.example'],
      'postgresql.existingSecret is required',
    ],
    [
      'an installation without an address',
      ['--set', 'postgresql.existingSecret=pg'],
      'publicApiUrl is required',
    ],
    [
      'a value that does not exist',
      [...required, '--set', 'chat.replica=2'],
      "additional properties 'replica' not allowed",
    ],
    ['an unknown discovery', [...required, '--set', 'discovery=srv'], 'discovery'],
    ['a value of the wrong type', [...required, '--set', 'edge.drainSeconds=10m'], 'edge/drainSeconds'],
    ['several writers of one volume', [...required, '--set', 'storage.replicas=2'], 'several instances need'],
    [
      'a drain time that the grace period does not know',
      [...required, '--set', 'chat.env.DRAIN_TIMEOUT_MS=1'],
      'chat.drainSeconds',
    ],
    [
      'a secret among the settings',
      [...required, '--set', 'billing.env.KEY_PEPPER=x'],
      'comes from a Secret',
    ],
    [
      'an autoscaler without a metric',
      [...required, '--set', 'catalog.autoscaling.enabled=true,catalog.autoscaling.cpuUtilizationPercent=0'],
      'set cpuUtilizationPercent',
    ],
    [
      'an autoscaler whose minimum exceeds its maximum',
      [...required, '--set', 'edge.autoscaling.enabled=true,edge.autoscaling.minReplicas=12'],
      'minReplicas 12 is above maxReplicas 10',
    ],
    [
      'to scale a service without a gauge by calls in flight',
      [...required, '--set', 'billing.autoscaling.enabled=true,billing.autoscaling.callsInFlight=5'],
      'billing.autoscaling.callsInFlight: only edge, chat and media',
    ],
    [
      'routes without a Gateway',
      [...required, '--set', 'httpRoute.enabled=true,httpRoute.apiHostnames={a.example}'],
      'httpRoute.parentRefs and httpRoute.apiHostnames are required',
    ],
    [
      'an external PostgreSQL and a bundled one',
      [...required, '--set', 'postgresql.bundled.enabled=true'],
      'postgresql.bundled.enabled and postgresql.existingSecret: only one of them',
    ],
    [
      'brokers at a port that the NetworkPolicies do not allow',
      [...required, '--set', 'kafka.brokers={kafka:9093}'],
      'networkPolicy.kafkaPorts: lacks 9093, the port of kafka:9093',
    ],
    [
      'Sentinels at a port that the NetworkPolicies do not allow',
      [...required, '--set', 'billing.env.REDIS_SENTINELS=sentinel'],
      'networkPolicy.redisPorts: lacks 26379, the port of sentinel:26379',
    ],
    [
      'a cell without an address',
      [...required, '--set', 'cells.b.kafkaBrokers={kafka:9092}'],
      'cells.b: set release, or billingAddress',
    ],
    ['a cell whose name is in upper case', [...required, '--set', 'cells.B.release=b'], 'cell B: the name'],
    ['home among the other cells', [...required, '--set', 'cells.home.release=b'], 'cell home: the name'],
    ['home as the name of another cell', [...required, '--set', 'cell=home'], 'cell home: the name'],
    [
      'new accounts in an unknown cell',
      [...required, '--set', 'cells.b.release=b,newAccountCells={home,c}'],
      'newAccountCells: c is neither home nor in cells',
    ],
    [
      'brokers of a cell without those of home',
      [...required, '--set', 'cells.b.release=b,cells.b.kafkaBrokers={kafka:9092}'],
      'cells.b.kafkaBrokers: set kafka.brokers too',
    ],
    [
      'brokers of a cell at a port that the NetworkPolicies do not allow',
      [...required, '--set', 'kafka.brokers={a:9092},cells.b.release=b,cells.b.kafkaBrokers={b:9093}'],
      'networkPolicy.kafkaPorts: lacks 9093, the port of b:9093',
    ],
    [
      'a bundled broker with cells',
      [...required, '--set', 'cells.b.release=b,kafka.bundled.enabled=true'],
      'kafka.bundled.enabled: the bundled broker',
    ],
    [
      'a cell without the secrets of home',
      [...required, '--set', 'cell=b,home.release=gw'],
      "secrets.existingSecret is required in the cell b: a Secret with home's key-pepper",
    ],
    [
      'a cell whose callers are unknown',
      [...required, '--set', 'cell=b,secrets.existingSecret=s'],
      'home.release is required in the cell b',
    ],
    [
      'values of home in another cell',
      [...required, '--set', 'cell=b,home.release=gw,secrets.existingSecret=s,ingress.enabled=true'],
      "ingress.enabled: a value of home's release, but cell is b",
    ],
    ['the release of home without a cell', [...required, '--set', 'home.release=gw'], 'set cell too'],
  ])('%s', (_what, options, reason) => {
    const { output, status } = template(options);
    expect(status).not.toBe(0);
    expect(output).toContain(reason);
  });
});

described('the validator of manifests', () => {
  test('refuses an unknown field, a wrong type and an unknown kind', () => {
    const problems = manifestValidator();
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } };
    expect(problems({ ...service, spec: { ports: [{ port: 80 }] } })).toEqual([]);
    expect(problems({ ...service, spec: { ports: [{ prot: 80, port: 80 }] } })[0]).toContain(
      'additional properties',
    );
    expect(problems({ ...service, spec: { ports: [{ port: '80' }] } })[0]).toContain('must be integer');
    expect(problems({ ...service, kind: 'Servise' })).toEqual(['v1 Servise: no schema']);
    const route = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name: 'a' } };
    expect(problems({ ...route, spec: { hostname: 'a.example' } })[0]).toContain('additional properties');
  });
});
