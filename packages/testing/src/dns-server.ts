import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode, type Packet, type Question } from 'dns-packet';

/** Longer than any test, so that a cache of the client shows. */
const TTL_SECONDS = 3_600;
const NXDOMAIN = 3;
const SERVFAIL = 2;

/** A DNS server whose records a test changes. A name without records does not exist. */
export interface DnsServer {
  /** For `DNS_SERVERS`. */
  readonly address: string;
  setA(name: string, addresses: readonly string[]): void;
  setSrv(name: string, records: readonly { target: string; port: number; priority?: number }[]): void;
  /** Answers every query with SERVFAIL. */
  setFailing(failing: boolean): void;
  stop(): Promise<void>;
}

/** @param at by default a free port of 127.0.0.1 */
export async function startDnsServer(
  at: { readonly host: string; readonly port: number } = { host: '127.0.0.1', port: 0 },
): Promise<DnsServer> {
  const records = new Map<string, Answer[]>();
  let failing = false;
  const socket = createSocket('udp4');
  const answer = (message: Buffer, peer: RemoteInfo) => {
    const query = decode(message);
    const questions: readonly Question[] = query.questions ?? [];
    const known = questions.map(({ name }) => records.get(name) ?? []);
    const answers = known.flatMap((all, at) => all.filter(({ type }) => type === questions[at]?.type));
    const code = failing ? SERVFAIL : known.flat().length > 0 ? 0 : NXDOMAIN;
    const response: Packet = { type: 'response', questions: [...questions], answers: failing ? [] : answers };
    socket.send(
      encode({ ...response, ...(query.id && { id: query.id }), flags: code }),
      peer.port,
      peer.address,
    );
  };
  socket.on('message', answer);
  socket.bind(at.port, at.host);
  await once(socket, 'listening');
  return {
    address: `${at.host}:${socket.address().port}`,
    setA(name, addresses) {
      const answers = addresses.map((data) => ({ type: 'A' as const, name, ttl: TTL_SECONDS, data }));
      records.set(name, answers);
    },
    setSrv(name, targets) {
      const answers = targets.map((data) => ({ type: 'SRV' as const, name, ttl: TTL_SECONDS, data }));
      records.set(name, answers);
    },
    setFailing(value) {
      failing = value;
    },
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
}
