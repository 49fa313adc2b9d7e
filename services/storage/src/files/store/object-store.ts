/** Keeps objects by their names. It encrypts nothing. */
export interface ObjectStore {
  /**
   * Writes an object that does not exist. It is durable when this resolves; if `content` throws, nothing is left.
   * @throws ObjectStoreError: the object may exist, or come to exist
   */
  put(name: string, content: AsyncIterable<Buffer>): Promise<void>;
  /**
   * Opens an object for one reader, who reads it to its end or destroys it; undefined if it does not exist. The returned content may
   * throw too.
   * @throws ObjectStoreError
   */
  read(name: string): Promise<AsyncIterable<Buffer> | undefined>;
  /** Deletes an object, and what an interrupted `put` left of it. May be repeated. @throws ObjectStoreError */
  delete(name: string): Promise<void>;
  /** Returns true as soon as the store has been reached. @throws ObjectStoreError */
  reached(): Promise<boolean>;
  close(): void;
}

export type StoreOperation = 'put' | 'read' | 'delete' | 'check';

/** A remote store has not answered, or refused. The message is for the log and has no secrets, names or content. */
export class ObjectStoreError extends Error {
  constructor(operation: StoreOperation, reason: string) {
    super(`object store: ${operation} failed (${reason})`);
    this.name = 'ObjectStoreError';
  }
}
