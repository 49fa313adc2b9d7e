#!/usr/bin/env node
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { findCommand, run } from '../../tools/engines/commands.mjs';
import { buildControlPlane, startControlPlane } from '../../tools/engines/control-plane.mjs';
import { installPackages } from '../../tools/engines/debian-packages.mjs';
import { helm } from '../../tools/engines/helm.mjs';
import { waitUntil } from '../../tools/engines/processes.mjs';

const USAGE = `Installs and upgrades the Helm chart with each of its value sets on a control plane of Kubernetes.
  helm-install.mjs --dir DIR [--only SET]    builds the control plane at its first run, which takes ten minutes and longer
`;
const CHART = fileURLToPath(new URL('../helm/model-gateway', import.meta.url));
const WAIT_MS = 120_000;

async function main() {
  const { values } = parseArgs({
    options: { dir: { type: 'string' }, only: { type: 'string', default: '' } },
  });
  if (!values.dir) throw new Error(USAGE);
  mkdirSync(values.dir, { recursive: true });
  const root = realpathSync(values.dir);
  const logFile = resolve(root, 'install.log');
  const etcd = findCommand('etcd') ? [] : ['etcd-server'];
  await installPackages([...helm.missingPackages(), ...etcd], logFile);
  const program = await helm.install(logFile);
  const schemas = await helm.installSchemas(logFile);
  const programs = await buildControlPlane(logFile);
  const dir = mkdtempSync(join(tmpdir(), 'control-plane-'));
  const plane = await startControlPlane({ programs, dir });
  const cluster = connect(plane);
  const kubelet = playKubelet(cluster);
  try {
    for (const file of readdirSync(schemas).filter((name) => name.endsWith('.yaml')))
      await cluster.create(
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        parse(readFileSync(join(schemas, file), 'utf8')),
      );
    await cluster.create('/apis/scheduling.k8s.io/v1/priorityclasses', {
      metadata: { name: 'gateway' },
      value: 1_000,
    });
    for (const name of ['a', 'b', 'c']) await cluster.create('/api/v1/nodes', node(name));
    for (const file of readdirSync(join(CHART, 'ci'))
      .filter((name) => name.startsWith(values.only))
      .sort()) {
      const startedMs = Date.now();
      const set = file.replace('-values.yaml', '');
      const facts = await installAndUpgrade({ set, file, cluster, plane, program, logFile });
      console.log(`${set}: ${facts}, ${((Date.now() - startedMs) / 1_000).toFixed(1)} s`);
    }
  } finally {
    await kubelet.stop();
    cluster.close();
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Returns a line with what was created. */
async function installAndUpgrade({ set, file, cluster, plane, program, logFile }) {
  const namespace = `gateway-${set}`;
  await cluster.create('/api/v1/namespaces', { metadata: { name: namespace } });
  const connection = [
    '--namespace',
    namespace,
    '--kube-apiserver',
    plane.server,
    '--kube-ca-file',
    plane.ca,
    '--kube-token',
    plane.token,
  ];
  const helmRun = (...args) => run(program, [...args, ...connection], { logFile, timeoutMs: 2 * WAIT_MS });
  const release = [
    'gw',
    CHART,
    '-f',
    join(CHART, 'ci', file),
    '--wait',
    '--wait-for-jobs',
    '--timeout',
    '2m',
  ];
  await helmRun('install', ...release);
  const before = await state(cluster, namespace);
  assert.ok(before.pods.size > 0);
  const expected = before.workloads.reduce((sum, { status }) => sum + (status.readyReplicas ?? 0), 0);
  assert.equal(before.pods.size, expected, 'every pod is ready');
  const values = JSON.parse(
    await run(program, ['get', 'values', 'gw', '-o', 'json', ...connection], { logFile }),
  );
  if (values.discovery === 'endpointslices') await checkDiscovery(cluster, namespace);
  await helmRun('upgrade', ...release);
  const after = await state(cluster, namespace);
  assert.deepEqual(after.secrets, before.secrets, 'generated secrets survive an upgrade');
  assert.deepEqual(after.pods, before.pods, 'an upgrade without a change replaces no pod');
  await helmRun('upgrade', ...release, '--set', 'chat.env.LOG_LEVEL=debug');
  const changed = await state(cluster, namespace);
  for (const [name, uid] of before.pods)
    assert.equal(
      changed.pods.get(name) !== uid,
      name.includes('-chat-'),
      `a setting of chat replaces ${name}`,
    );
  // Pods read Secrets when they start, so those that read a changed one are replaced.
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  await cluster.create(secrets, {
    metadata: { name: 'gateway-redis' },
    stringData: { 'redis-url': 'redis://a' },
  });
  await helmRun('upgrade', ...release);
  const withSecret = await state(cluster, namespace);
  await cluster.patch(`${secrets}/gateway-redis`, { stringData: { 'redis-url': 'redis://b' } });
  await helmRun('upgrade', ...release);
  const rotated = await state(cluster, namespace);
  const readsSecret = values.redis?.existingSecret === 'gateway-redis';
  for (const [name, uid] of withSecret.pods)
    assert.equal(
      rotated.pods.get(name) !== uid,
      readsSecret && name.includes('-billing-'),
      `a changed Secret of billing replaces ${name}`,
    );
  await helmRun('uninstall', 'gw', '--wait');
  const kept = await cluster.list(`/api/v1/namespaces/${namespace}/persistentvolumeclaims`);
  assert.equal(
    kept.some(({ metadata }) => metadata.name.startsWith('journal-')),
    !values.cell && values.chat?.journal?.store !== 'postgresql',
    'journals in files survive an uninstallation',
  );
  const count = (kind) => before.counts[kind];
  return `${before.pods.size} pods, ${count('horizontalpodautoscalers')} autoscalers, ${count('poddisruptionbudgets')} disruption budgets, ${count('networkpolicies')} network policies`;
}

/** Checks that callers may list the instances of their peers, with their zones, and that pods know their own zone. */
async function checkDiscovery(cluster, namespace) {
  const core = `/api/v1/namespaces/${namespace}`;
  const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
  const tokenOf = async (service) => {
    const account = `${core}/serviceaccounts/gw-model-gateway-${service}`;
    return (await cluster.create(`${account}/token`, { spec: {} })).status.token;
  };
  const ofChat = '?labelSelector=kubernetes.io%2Fservice-name%3Dgw-model-gateway-chat';
  const found = await cluster.list(slices + ofChat, await tokenOf('edge'));
  const endpoints = found.flatMap((slice) => slice.endpoints ?? []);
  const pods = (await cluster.list(`${core}/pods`)).filter(({ spec }) => spec.nodeName);
  const chats = pods.filter(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === 'chat');
  const zoneOf = ({ spec }) => `zone-${spec.nodeName}`;
  assert.deepEqual(
    endpoints.map(({ targetRef, conditions, zone }) => [targetRef.name, conditions.ready, zone]).sort(),
    chats.map((pod) => [pod.metadata.name, true, zoneOf(pod)]).sort(),
    'edge finds the pods of chat',
  );
  for (const pod of pods)
    assert.equal(pod.metadata.labels['topology.kubernetes.io/zone'], zoneOf(pod), 'a pod knows its zone');
  const refused = await cluster.list(slices, await tokenOf('billing')).catch(({ status }) => status);
  assert.equal(refused, 403, 'billing, which calls nobody, may not list');
}

async function state(cluster, namespace) {
  const inNamespace = (group, kind) => cluster.list(`${group}/namespaces/${namespace}/${kind}`);
  const pods = (await inNamespace('/api/v1', 'pods')).filter(
    ({ metadata, status }) => !metadata.deletionTimestamp && status.phase === 'Running',
  );
  const secrets = (await inNamespace('/api/v1', 'secrets')).filter(({ type }) => type === 'Opaque');
  const counts = {};
  for (const [group, kind] of [
    ['/apis/autoscaling/v2', 'horizontalpodautoscalers'],
    ['/apis/policy/v1', 'poddisruptionbudgets'],
    ['/apis/networking.k8s.io/v1', 'networkpolicies'],
  ])
    counts[kind] = (await inNamespace(group, kind)).length;
  return {
    pods: new Map(pods.map(({ metadata }) => [metadata.name, metadata.uid])),
    secrets: secrets.map(({ metadata, data }) => [metadata.name, data]),
    workloads: [
      ...(await inNamespace('/apis/apps/v1', 'deployments')),
      ...(await inNamespace('/apis/apps/v1', 'statefulsets')),
    ],
    counts,
  };
}

const node = (name) => ({
  metadata: {
    name,
    labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `zone-${name}` },
  },
  status: {
    capacity: { cpu: '64', memory: '512Gi', pods: '500', 'ephemeral-storage': '1Ti' },
    allocatable: { cpu: '64', memory: '512Gi', pods: '500', 'ephemeral-storage': '1Ti' },
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'Played',
        lastHeartbeatTime: new Date().toISOString(),
        lastTransitionTime: new Date().toISOString(),
      },
    ],
  },
});

/** A client of the API server that only knows JSON. */
function connect({ server, ca, token }) {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(ca) });
  const send = (method, path, body, { type = 'application/json', bearer = token } = {}) =>
    new Promise((resolvePromise, reject) => {
      const content = body ? JSON.stringify(body) : '';
      const headers = {
        authorization: `Bearer ${bearer}`,
        'content-type': type,
        'content-length': Buffer.byteLength(content),
      };
      const sent = request(`${server}${path}`, { method, agent, headers, timeout: 10_000 }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          const { statusCode: status } = response;
          if (status < 300) resolvePromise(JSON.parse(text));
          else reject(Object.assign(new Error(`${method} ${path}: ${text}`), { status }));
        });
      });
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer`)));
      sent.on('error', reject);
      sent.end(content);
    });
  return {
    create: (path, object) => send('POST', `${path}?fieldValidation=Strict`, object),
    list: async (path, bearer) => (await send('GET', path, undefined, { bearer })).items,
    patch: (path, change) => send('PATCH', path, change, { type: 'application/merge-patch+json' }),
    remove: (path) => send('DELETE', path, { gracePeriodSeconds: 0 }),
    close: () => agent.destroy(),
  };
}

/**
 * Plays the kubelets and the cloud: pods run and are ready at once, pods of jobs succeed, deleted ones end, claims get a volume, load
 * balancers an address.
 */
function playKubelet(cluster) {
  let stopped = false;
  const step = async () => {
    for (const claim of await cluster.list('/api/v1/persistentvolumeclaims'))
      if (claim.status.phase === 'Pending' && !claim.spec.volumeName) await provision(cluster, claim);
    for (const service of await cluster.list('/api/v1/services'))
      if (service.spec.type === 'LoadBalancer' && !service.status.loadBalancer.ingress)
        await balance(cluster, service.metadata);
    for (const pod of await cluster.list('/api/v1/pods')) await advance(cluster, pod);
  };
  const running = (async () => {
    while (!stopped) {
      // An object that has changed or gone meanwhile is looked at again.
      await step().catch((error) => {
        if (![404, 409].includes(error.status)) console.error(error.message);
      });
      await waitUntil(() => stopped, 100);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await running;
    },
  };
}

async function provision(cluster, { metadata, spec }) {
  const { name, namespace, uid } = metadata;
  await cluster.create('/api/v1/persistentvolumes', {
    metadata: { name: `volume-${uid}` },
    spec: {
      capacity: spec.resources.requests,
      accessModes: spec.accessModes,
      storageClassName: spec.storageClassName ?? '',
      hostPath: { path: '/nowhere' },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid },
    },
  });
}

const balance = (cluster, { namespace, name }) =>
  cluster.patch(`/api/v1/namespaces/${namespace}/services/${name}/status`, {
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.10' }] } },
  });

async function advance(cluster, { metadata, spec, status }) {
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
  if (metadata.deletionTimestamp) return cluster.remove(path);
  if (!spec.nodeName || status.phase !== 'Pending') return;
  const isJob = metadata.labels['batch.kubernetes.io/job-name'] !== undefined;
  const now = new Date().toISOString();
  const state = isJob
    ? { terminated: { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now } }
    : { running: { startedAt: now } };
  const isReady = isJob ? 'False' : 'True';
  await cluster.patch(`${path}/status`, {
    status: {
      phase: isJob ? 'Succeeded' : 'Running',
      podIP: '10.0.0.1',
      startTime: now,
      conditions: ['Initialized', 'ContainersReady', 'Ready', 'PodScheduled'].map((type) => ({
        type,
        status: ['Ready', 'ContainersReady'].includes(type) ? isReady : 'True',
        lastTransitionTime: now,
      })),
      containerStatuses: spec.containers.map(({ name, image }) => ({
        name,
        image,
        imageID: image,
        ready: !isJob,
        started: !isJob,
        restartCount: 0,
        state,
      })),
    },
  });
}

main().catch((error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
