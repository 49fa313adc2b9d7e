import path from 'node:path';
import type { CellBilling, Cells, UsageOutbox } from '@gateway/call-billing';
import { awaitMigrations, createPool } from '@gateway/postgres';
import type { Logger } from '@gateway/process';
import { FileJournal } from './file/file-journal';
import { recoverCalls } from './file/recover-calls';
import { JournalSuccessor } from './postgres/journal-successor';
import { PostgresJournal } from './postgres/postgres-journal';
import type { UsageJournal } from './usage-journal';

const SEGMENT_BYTES = 8 * 1024 * 1024;
/** A write is repeated with a new connection when the server is gone. */
const STATEMENT_TIMEOUT_MS = 5_000;

export type JournalPlace = DatabasePlace | FilePlace;

interface DatabasePlace {
  readonly databaseUrl: string;
}

interface FilePlace {
  /** Belongs to this process alone. */
  readonly dataDir: string;
  readonly maxBytes: number;
}

export interface OpenJournal {
  readonly journal: UsageJournal;
  /** Ends the calls that processes before this one have left open; resolves when those of its own files are known. */
  recover(deps: RecoverDeps): Promise<void>;
  /** Call after the outboxes are closed. */
  close(): Promise<void>;
}

interface RecoverDeps {
  readonly cells: Cells<CellBilling>;
  readonly outbox: Pick<UsageOutbox, 'add'>;
  readonly signal: AbortSignal;
  /** The journal of another instance, in PostgreSQL, has been ended. */
  onTakenOver(): void;
}

export function openJournal(place: JournalPlace, log: Logger): Promise<OpenJournal> {
  return 'databaseUrl' in place ? openDatabase(place, log) : Promise.resolve(openFiles(place, log));
}

function openFiles({ dataDir, maxBytes }: FilePlace, log: Logger): OpenJournal {
  const directory = path.join(dataDir, 'journal');
  const journal = new FileJournal({ directory, maxBytes, segmentBytes: SEGMENT_BYTES });
  return {
    journal,
    recover: ({ cells, outbox, signal }) => recoverCalls({ cells, outbox, signal, journal, log }),
    close: async () => journal.close(),
  };
}

async function openDatabase({ databaseUrl: url }: DatabasePlace, log: Logger): Promise<OpenJournal> {
  const poolOf = (maxConnections: number) =>
    createPool({ url, log, maxConnections, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  // Heartbeats don't wait for writes, nor writes for the pages of another journal.
  const [writePool, pool] = [poolOf(1), poolOf(2)];
  await awaitMigrations({
    pool,
    schema: 'chat',
    directory: path.join(__dirname, '../../migrations'),
    log,
  });
  const journal = await PostgresJournal.open({
    pool,
    writePool,
    log,
    onTakenOver: () => {
      // Another instance has ended this process's calls. Its supervisor restarts it with a journal of its own.
      setImmediate(() => {
        throw new Error('another instance has taken over the journal: this process was silent for too long');
      });
    },
  });
  let successor: JournalSuccessor | undefined;
  return {
    journal,
    async recover({ cells, outbox, onTakenOver }) {
      successor = new JournalSuccessor({ journal, pool, cells, outbox, log, onTakenOver });
    },
    async close() {
      await successor?.stop();
      await journal.close();
      await Promise.all([writePool.end(), pool.end()]);
    },
  };
}
