/** Keeps objects by their names. It encrypts nothing. */
export interface ObjectStore {
  /** Writes an object that does not exist. It is durable when this resolves; if `content` throws, nothing is left. */
  put(name: string, content: AsyncIterable<Buffer>): Promise<void>;
  /** Opens an object for one reader, who reads it to its end or destroys it; undefined if it does not exist. */
  read(name: string): Promise<AsyncIterable<Buffer> | undefined>;
  /** May be repeated. */
  delete(name: string): Promise<void>;
}
