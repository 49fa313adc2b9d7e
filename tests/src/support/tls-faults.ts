import net from 'node:net';
import tls from 'node:tls';

/** Faults of the handshake. */
export type TlsFault = 'alert' | 'reset' | 'silent' | 'self-signed' | 'plain text';

export interface TlsFaults {
  /** Value for `<PROVIDER>_BASE_URL`. */
  readonly baseUrl: string;
  /** The fault of new connections. */
  fault: TlsFault;
  stop(): Promise<void>;
}

/** A fatal handshake_failure, as TLS 1.2 frames it. */
const ALERT = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]);

/** Starts a server whose TLS handshakes fail. */
export async function startTlsFaults(): Promise<TlsFaults> {
  const sockets = new Set<net.Socket>();
  const selfSigned = tls.createServer({ key: SELF_SIGNED_KEY, cert: SELF_SIGNED_CERTIFICATE });
  selfSigned.on('tlsClientError', () => {});
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    if (faults.fault === 'self-signed') selfSigned.emit('connection', socket);
    else socket.once('data', () => misbehave(socket, faults.fault));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const faults: TlsFaults = {
    baseUrl: `https://127.0.0.1:${(server.address() as net.AddressInfo).port}/v1`,
    fault: 'alert',
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return faults;
}

function misbehave(socket: net.Socket, fault: TlsFault): void {
  if (fault === 'alert') socket.end(ALERT);
  if (fault === 'reset') socket.resetAndDestroy();
  if (fault === 'plain text') socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
}

/** An untrusted test certificate and its key, made for this file. Valid until 2126. */
const SELF_SIGNED_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+rwLvtuUS0zHfnUj
l4oYaOPHBjBpKB5WGuY3HPvlQpShRANCAATaro4ADdOhpXVzfTz48sai7kQtcNLq
9q0UwEtKzrc3k1Xejs4wOHlsrEZvU44+UuirrgJaSj/8p4uGgym5EDqY
-----END PRIVATE KEY-----`;
const SELF_SIGNED_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBsjCCAVmgAwIBAgIUb7ttrjBWgS7u61CFLqD/PVbg8JcwCgYIKoZIzj0EAwIw
HjEcMBoGA1UEAwwTZmF1bHQtcHJvdmlkZXIudGVzdDAgFw0yNjExMjAxMjM4NDFa
GA8yMTI2MTAyNzEyMzg0MVowHjEcMBoGA1UEAwwTZmF1bHQtcHJvdmlkZXIudGVz
dDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNqujgAN06GldXN9PPjyxqLuRC1w
0ur2rRTAS0rOtzeTVd6OzjA4eWysRm9Tjj5S6KuuAlpKP/yni4aDKbkQOpijczBx
MB0GA1UdDgQWBBRA8FOjYdlSIENngP0lVF/3siSnujAfBgNVHSMEGDAWgBRA8FOj
YdlSIENngP0lVF/3siSnujAPBgNVHRMBAf8EBTADAQH/MB4GA1UdEQQXMBWCE2Zh
dWx0LXByb3ZpZGVyLnRlc3QwCgYIKoZIzj0EAwIDRwAwRAIgQ/e5nVaOf9dV1vsA
WKYJI2lRSjQhbSFgDInHPGNJhnACIAUVvaz5qOr9fqK3Z+6yzbjRUHetpMUR865E
CrOeEfg8
-----END CERTIFICATE-----`;
