import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** `ip netns exec` shows the files of a folder here to the namespace's processes in place of those of `/etc`. */
const NAMESPACE_FILES = '/etc/netns';
const IP = ['/usr/sbin/ip', '/sbin/ip', '/usr/bin/ip'].find((path) => existsSync(path));

/** Why this process can't have a network of pods; undefined if it can. */
export const NO_POD_NETWORK =
  process.platform !== 'linux' || process.getuid?.() !== 0
    ? 'needs root on Linux, for network namespaces'
    : IP === undefined
      ? 'needs the command ip of iproute2'
      : undefined;

/** A network namespace with an address of its own, as a pod has. */
export interface Pod {
  readonly namespace: string;
  readonly address: string;
  readonly mac: string;
  /** Its end in the namespace of the bridge. */
  readonly link: string;
}

const runFile = promisify(execFile);
const ip = (...args: string[]) => runFile(`${IP}`, args);
const hex = (byte: number) => byte.toString(16).padStart(2, '0');

/** Pods and this process on one bridge. Their DNS server is expected at port 53 of the bridge's address. */
export class PodNetwork {
  /** Address of this process in the network. */
  readonly host: string;
  readonly #prefix: string;
  readonly #bridge: string;
  readonly #pods = new Set<Pod>();
  #count = 1;

  static async open(): Promise<PodNetwork> {
    const network = new PodNetwork(process.pid);
    await ip('link', 'add', network.#bridge, 'type', 'bridge');
    await ip('addr', 'add', `${network.host}/24`, 'dev', network.#bridge);
    await ip('link', 'set', network.#bridge, 'up');
    return network;
  }

  /** Other runs have other networks. */
  private constructor(id: number) {
    this.#prefix = `10.${64 + (id % 128)}.${(id >> 7) % 256}`;
    this.#bridge = `gw${id}`;
    this.host = `${this.#prefix}.1`;
  }

  async add(): Promise<Pod> {
    const count = ++this.#count;
    if (count > 254) throw new Error('the network has no addresses left');
    const namespace = `${this.#bridge}-${count}`;
    const mac = ['02', ...`${this.#prefix}.0.${count}`.split('.').map((byte) => hex(Number(byte)))].join(':');
    const pod: Pod = { namespace, address: `${this.#prefix}.${count}`, mac, link: namespace };
    this.#pods.add(pod);
    const files = join(NAMESPACE_FILES, namespace);
    mkdirSync(files, { recursive: true });
    writeFileSync(join(files, 'resolv.conf'), `nameserver ${this.host}\n`);
    await ip('netns', 'add', namespace);
    const peer = ['peer', 'name', 'eth0', 'address', mac, 'netns', namespace];
    await ip('link', 'add', pod.link, 'type', 'veth', ...peer);
    await ip('link', 'set', pod.link, 'master', this.#bridge, 'up');
    await ip('-n', namespace, 'addr', 'add', `${pod.address}/24`, 'dev', 'eth0');
    await ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    await ip('-n', namespace, 'link', 'set', 'lo', 'up');
    return pod;
  }

  /** Runs a command in the namespace of a pod. */
  commandPrefix({ namespace }: Pod): readonly string[] {
    return [`${IP}`, 'netns', 'exec', namespace];
  }

  async remove(pod: Pod): Promise<void> {
    if (!this.#pods.delete(pod)) return;
    await ip('netns', 'delete', pod.namespace);
    rmSync(join(NAMESPACE_FILES, pod.namespace), { recursive: true, force: true });
  }

  /** From now on packets from and to the pod vanish. */
  async cutOff(pod: Pod): Promise<void> {
    // A router between them would still be reachable: without this, an unanswered ARP request soon fails connections.
    const entry = ['neigh', 'replace', pod.address, 'lladdr', pod.mac, 'nud', 'permanent', 'dev'];
    await ip(...entry, this.#bridge);
    const others = [...this.#pods].filter((other) => other !== pod);
    for (const { namespace } of others) await ip('-n', namespace, ...entry, 'eth0');
    await ip('link', 'set', pod.link, 'down');
  }

  async reconnect({ link }: Pod): Promise<void> {
    await ip('link', 'set', link, 'up');
  }

  async close(): Promise<void> {
    for (const pod of this.#pods) await this.remove(pod).catch(() => {});
    await ip('link', 'delete', this.#bridge).catch(() => {});
  }
}
