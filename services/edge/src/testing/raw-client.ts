import net from 'node:net';

/** One connection on which a test writes bytes as it likes. */
export interface RawConnection {
  readonly socket: net.Socket;
  /** All that came so far. */
  text(): string;
  /** Resolves when the other side has closed. */
  readonly closed: Promise<void>;
}

export function connectRaw(port: number): RawConnection {
  const socket = net.connect({ port, host: '127.0.0.1' });
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (data) => {
    text += data;
  });
  // A reset is one way to be closed.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  return { socket, text: () => text, closed };
}

/** Sends the bytes and answers all that came until the other side closed. */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  const connection = connectRaw(port);
  connection.socket.write(bytes);
  await connection.closed;
  return connection.text();
}

export interface ParsedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The first response in what a connection gave. */
export function parseReply(text: string): ParsedReply {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n').slice(0, length) };
}
