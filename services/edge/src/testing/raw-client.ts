import net from 'node:net';

/** A connection on which a test writes arbitrary bytes. */
export interface RawConnection {
  readonly socket: net.Socket;
  /** Everything received so far. */
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
  // A reset closes the connection as well.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  return { socket, text: () => text, closed };
}

/** Sends the bytes and returns everything received until the other side closes. */
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

/** Parses the first response in the received text. */
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
