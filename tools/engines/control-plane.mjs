import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { run } from './commands.mjs';
import { cacheFolder, downloadModule, GO_TIMEOUT_MS, recentGo } from './go-modules.mjs';
import { KUBERNETES } from './helm.mjs';
import { freePorts, waitUntil } from './processes.mjs';

const COMPONENTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
/** Without them it is version 0.0.0, which charts refuse. */
const VERSION_VARIABLES = {
  gitVersion: `v${KUBERNETES}`,
  gitMajor: KUBERNETES.split('.')[0],
  gitMinor: KUBERNETES.split('.')[1],
};
const LINK = `-ldflags=-s -w ${Object.entries(VERSION_VARIABLES)
  .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  .join(' ')}`;
const TOKEN = 'for-this-run-only';
const START_TIMEOUT_MS = 120_000;

/** Returns the folder of the programs, which it builds from the Go module proxy once per machine: ten minutes on two cores. */
export async function buildControlPlane(logFile) {
  const folder = join(cacheFolder(), `kubernetes-${KUBERNETES}`);
  if (existsSync(folder)) return folder;
  const module = await downloadModule(`k8s.io/kubernetes@v${KUBERNETES}`, logFile);
  mkdirSync(cacheFolder(), { recursive: true });
  const work = mkdtempSync(join(cacheFolder(), 'control-plane-'));
  try {
    // Its own go.mod points to folders that are not a part of the module.
    const goMod = readFileSync(join(module, 'go.mod'), 'utf8');
    const staged = [...goMod.matchAll(/^\s*(\S+) => \.\/staging/gm)].map(([, name]) => name);
    const replaced = staged.map((name) => `${name} => ${name} v0.${KUBERNETES.slice(2)}`).join('\n');
    const goVersion = /^go (\S+)/m.exec(goMod)[1];
    writeFileSync(
      join(work, 'go.mod'),
      `module controlplane\ngo ${goVersion}\nrequire k8s.io/kubernetes v${KUBERNETES}\nreplace (\n${replaced}\n)\n`,
    );
    const imports = COMPONENTS.map((name) => `import _ "k8s.io/kubernetes/cmd/${name}"`).join('\n');
    writeFileSync(join(work, 'tools.go'), `//go:build tools\n\npackage tools\n\n${imports}\n`);
    const env = { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' };
    const options = { cwd: work, env, logFile, timeoutMs: 4 * GO_TIMEOUT_MS };
    const go = await recentGo(logFile);
    await run(go, ['mod', 'tidy'], options);
    mkdirSync(join(work, 'bin'));
    for (const name of COMPONENTS)
      await run(go, ['build', LINK, '-o', `bin/${name}`, `k8s.io/kubernetes/cmd/${name}`], options);
    renameSync(join(work, 'bin'), folder);
    return folder;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Starts etcd and the control plane with their data in `dir`, and returns how to connect and how to stop. There is no kubelet: the
 * caller plays it by writing the status of pods.
 */
export async function startControlPlane({ programs, dir }) {
  const [etcdPort, peerPort, apiPort] = await freePorts(3);
  const children = [];
  const launch = (command, args) => {
    const log = openSync(join(dir, `${command.split('/').at(-1)}.log`), 'a');
    children.push(spawn(command, args, { stdio: ['ignore', log, log] }));
  };
  const stop = async () => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
  };
  try {
    const etcd = `http://127.0.0.1:${etcdPort}`;
    const peer = `http://127.0.0.1:${peerPort}`;
    launch('etcd', [
      `--data-dir=${join(dir, 'etcd')}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ]);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = join(dir, 'service-accounts.pem');
    writeFileSync(key, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
    const tokens = join(dir, 'tokens.csv');
    writeFileSync(tokens, `${TOKEN},admin,1,"system:masters"\n`, { mode: 0o600 });
    const certificates = join(dir, 'certificates');
    launch(join(programs, 'kube-apiserver'), [
      `--etcd-servers=${etcd}`,
      `--secure-port=${apiPort}`,
      '--bind-address=127.0.0.1',
      `--cert-dir=${certificates}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
      `--token-auth-file=${tokens}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.96.0.0/16',
      // Nodes here have no kubelet that reports to be ready.
      '--disable-admission-plugins=TaintNodesByCondition',
    ]);
    const ca = join(certificates, 'apiserver.crt');
    const server = `https://127.0.0.1:${apiPort}`;
    if (!(await waitUntil(async () => existsSync(ca) && (await isReady(server, ca)), START_TIMEOUT_MS)))
      throw new Error(`kube-apiserver did not start: see ${dir}`);
    const kubeconfig = join(dir, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(server, ca), { mode: 0o600 });
    launch(join(programs, 'kube-controller-manager'), [
      `--kubeconfig=${kubeconfig}`,
      `--service-account-private-key-file=${key}`,
      '--controllers=*,-node-lifecycle-controller',
      '--secure-port=0',
      '--leader-elect=false',
    ]);
    launch(join(programs, 'kube-scheduler'), [
      `--kubeconfig=${kubeconfig}`,
      '--secure-port=0',
      '--leader-elect=false',
    ]);
    return { server, ca, token: TOKEN, kubeconfig, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function isReady(server, ca) {
  try {
    await run('curl', [
      '-sf',
      '--max-time',
      '2',
      '--cacert',
      ca,
      '-H',
      `Authorization: Bearer ${TOKEN}`,
      `${server}/readyz`,
    ]);
    return true;
  } catch {
    return false;
  }
}

const kubeconfigOf = (server, ca) => `apiVersion: v1
kind: Config
clusters: [{ name: local, cluster: { server: "${server}", certificate-authority: "${ca}" } }]
users: [{ name: admin, user: { token: ${TOKEN} } }]
contexts: [{ name: local, context: { cluster: local, user: admin } }]
current-context: local
`;
