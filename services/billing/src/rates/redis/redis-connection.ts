import { createHash } from 'node:crypto';

export interface RedisScript {
  readonly text: string;
  readonly digest: string;
}

export const redisScript = (text: string): RedisScript => ({
  text,
  digest: createHash('sha1').update(text).digest('hex'),
});

/** The Redis for rates: one server, the primary that Sentinels name, or the primaries of a cluster. */
export interface RedisConnection {
  /** Every key has a server that is connected. */
  readonly up: boolean;
  /** Whether it has been reachable once. */
  readonly hasConnected: boolean;
  /** Returns the server that has the rates of this key; undefined if it is not known. */
  serverOf(keyId: string): RedisServer | undefined;
  stop(): Promise<void>;
}

/** A connection to one server. */
export interface RedisServer {
  /**
   * Identifies the run of the server as a primary; undefined while not connected. A server that was restarted, replaced or
   * promoted has another run id, even if it has the same data.
   */
  readonly runId: string | undefined;
  /**
   * Runs a script on keys of one slot that returns integers. Rejects when it can't be sent; commands in flight have no
   * deadline here.
   */
  run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<number[]>;
  /** A command was not answered in time: nothing more is sent until the server has answered a ping. */
  suspendUntilPing(): void;
}
