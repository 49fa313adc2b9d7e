import type { PoolClient } from '@gateway/postgres';
import type { Connection, FieldDef, Submittable } from 'pg';

export interface BoundStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | Buffer | null)[];
}

interface Column {
  readonly name: string;
  parse(text: string): unknown;
}

type Columns = readonly Column[];

interface Added {
  readonly statement: BoundStatement;
  readonly rows: object[];
  resolve(rows: object[]): void;
  reject(error: unknown): void;
}

/** By name, the columns of the statements that a connection has prepared for batches. */
const prepared = new WeakMap<Connection, Map<string, Columns>>();

/**
 * Statements that are sent and answered together. The driver's own pipeline ends each with a Sync, for which the server sends an
 * answer and this process is woken up. Here the first error fails the batch: the server skips the statements after it, and the
 * connection must be closed.
 */
export class StatementBatch implements Submittable {
  readonly #client: PoolClient;
  readonly #added: Added[] = [];
  #prepared: Map<string, Columns> | undefined;
  /** The statement that the server is answering. */
  #at = 0;
  #columns: Columns = [];
  #failure: unknown;
  /** Set by the driver, to be called at the end of the batch: it stops the timer of its deadline. */
  callback: (() => void) | undefined;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  /** Resolves to the rows. Throws if the batch has been sent already. */
  add(statement: BoundStatement): Promise<object[]> {
    if (this.#prepared) throw new Error(`${statement.name} came too late for its batch`);
    return new Promise((resolve, reject) => {
      this.#added.push({ statement, rows: [], resolve, reject });
    });
  }

  submit(connection: Connection): void {
    this.#prepared = prepared.get(connection) ?? new Map();
    prepared.set(connection, this.#prepared);
    const known = new Set(this.#prepared.keys());
    connection.stream.cork();
    try {
      for (const { statement } of this.#added) {
        send(connection, statement, known.has(statement.name));
        known.add(statement.name);
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    this.#begin(0);
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#client.getTypeParser(dataTypeID, 'text'),
    }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      this.#added[this.#at]?.rows.push(parseRow(this.#columns, fields));
    } catch (error) {
      this.#failure ??= error;
    }
  }

  /** @param text the command's tag; a failed transaction answers COMMIT with the tag of ROLLBACK */
  handleCommandComplete({ text }: { readonly text: string }): void {
    const done = this.#added[this.#at]?.statement;
    if (done) this.#prepared?.set(done.name, this.#columns);
    if (done?.text === 'COMMIT' && text !== 'COMMIT')
      this.#failure ??= new Error('the transaction was rolled back');
    this.#begin(this.#at + 1);
  }

  handleReadyForQuery(): void {
    if (this.#at < this.#added.length) this.#failure ??= new Error('a batch was not answered in full');
    if (this.#failure) this.handleError(this.#failure);
    else {
      this.callback?.();
      for (const { rows, resolve } of this.#added) resolve(rows);
    }
  }

  handleError(error: unknown): void {
    this.callback?.();
    for (const { reject } of this.#added) reject(error);
  }

  #begin(at: number): void {
    this.#at = at;
    this.#columns = this.#prepared?.get(this.#added[at]?.statement.name ?? '') ?? [];
  }
}

function parseRow(columns: Columns, fields: readonly (string | null)[]): object {
  const row: Record<string, unknown> = {};
  for (const [i, { name, parse }] of columns.entries()) {
    const text = fields[i] ?? null;
    row[name] = text === null ? null : parse(text);
  }
  return row;
}

function send(connection: Connection, { name, text, values }: BoundStatement, isKnown: boolean): void {
  // The driver keeps its own list of prepared statements under the plain names.
  const statement = `batch ${name}`;
  if (!isKnown) connection.parse({ name: statement, text, types: [] }, true);
  connection.bind({ statement, values: [...values] }, true);
  if (!isKnown) connection.describe({ type: 'P', name: '' }, true);
  connection.execute({ portal: '' }, true);
}
