import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const ESTABLISHED = '01';

/** Returns the number of the process's open TCP connections to that local port, from Linux's /proc. */
export function connectionsTo(pid: number, port: number): number {
  const inodes = new Set(socketInodes(pid));
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  return ['tcp', 'tcp6']
    .flatMap((family) => readFileSync(`/proc/${pid}/net/${family}`, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote, state]) => remote?.endsWith(`:${hexPort}`) && state === ESTABLISHED)
    .filter((fields) => inodes.has(`${fields[9]}`)).length;
}

function socketInodes(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      // Closed since the directory was read.
      return [];
    }
  });
}
