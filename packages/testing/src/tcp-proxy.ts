import net from 'node:net';

/** A proxy between a client and a server that simulates network failures. */
export class TcpProxy {
  readonly #server: net.Server;
  readonly #pairs = new Set<{ client: net.Socket; server: net.Socket }>();
  #stalled = false;
  #stallAfter: string | undefined;
  #swallowReplyTo: string | undefined;
  #keepOpen = false;
  #swallowed = 0;

  static async start(target: { host: string; port: number }): Promise<TcpProxy> {
    const server = net.createServer();
    const proxy = new TcpProxy(server, target);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(server: net.Server, target: { host: string; port: number }) {
    this.#server = server;
    server.on('connection', (client) => {
      const upstream = net.connect(target.port, target.host);
      this.#join(client, upstream);
    });
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port;
  }

  get swallowed(): number {
    return this.#swallowed;
  }

  /** Holds back all bytes of both sides until `pass`. */
  stall(): void {
    this.#stalled = true;
    for (const { client, server } of this.#pairs) {
      client.pause();
      server.pause();
    }
  }

  /** Forwards the next chunk that contains `text`, then stalls. */
  stallAfter(text: string): void {
    this.#stallAfter = text;
  }

  get stalled(): boolean {
    return this.#stalled;
  }

  pass(): void {
    this.#stalled = false;
    for (const { client, server } of this.#pairs) {
      client.resume();
      server.resume();
    }
  }

  /** Forwards the next chunk that contains `text`, then drops the reply, and the connection unless it is kept open. */
  swallowReplyTo(text: string, { keepOpen = false } = {}): void {
    this.#swallowReplyTo = text;
    this.#keepOpen = keepOpen;
  }

  cut(): void {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #join(client: net.Socket, server: net.Socket): void {
    const pair = { client, server };
    this.#pairs.add(pair);
    let deaf = false;
    const end = () => {
      this.#pairs.delete(pair);
      client.destroy();
      if (!deaf) server.destroy();
    };
    for (const socket of [client, server]) {
      socket.on('error', end);
      socket.on('close', end);
    }
    client.on('data', (bytes) => {
      server.write(bytes);
      if (this.#stallAfter && bytes.includes(this.#stallAfter)) {
        this.#stallAfter = undefined;
        this.stall();
      }
      if (this.#swallowReplyTo && bytes.includes(this.#swallowReplyTo)) {
        this.#swallowReplyTo = undefined;
        this.#swallowed++;
        deaf = true;
      }
    });
    server.on('data', (bytes) => {
      if (!deaf) client.write(bytes);
      else if (!this.#keepOpen) client.destroy();
    });
    if (this.#stalled) {
      client.pause();
      server.pause();
    }
  }
}
