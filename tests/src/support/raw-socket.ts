import net from 'node:net';

/** Sends raw bytes and collects the response until the other side closes or a timeout. */
export function sendRaw(origin: string, bytes: string | Buffer, timeoutMs = 15_000): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = net.connect(Number(port), hostname, () => socket.write(bytes));
    const timer = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(`still open after ${timeoutMs} ms; received ${JSON.stringify(received.slice(0, 200))}`),
      );
    }, timeoutMs);
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received += text;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(received);
    });
  });
}
