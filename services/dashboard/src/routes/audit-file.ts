import type { AnyAuditEntry, AuditEntry, AuditFileFormat } from '../api/audit';
import { csvLine } from '../domain/csv-line';
import { StreamedFile } from './streamed-file';

/** Of operators' files, with its account. */
export type FileEntry = AuditEntry & Partial<Pick<AnyAuditEntry, 'account_id'>>;

type Cell = (entry: FileEntry) => string | null;

const COLUMNS: Readonly<Record<string, Cell>> = {
  id: ({ id }) => id,
  created_at: ({ created_at }) => created_at,
  actor_id: ({ actor }) => actor.id,
  actor_email: ({ actor }) => actor.email,
  actor_operator: ({ actor }) => String(actor.operator),
  action: ({ action }) => action,
  subject: ({ subject }) => subject,
  changes: ({ changes }) => (changes === null ? null : JSON.stringify(changes)),
  outcome: ({ outcome }) => outcome,
  error_code: ({ error_code }) => error_code,
  request_id: ({ request_id }) => request_id,
  address: ({ address }) => address,
  account_id: ({ account_id = null }) => account_id,
};
const CELLS = Object.values(COLUMNS);

/** The formats of an exported audit log. */
export const AUDIT_FILES = {
  csv: {
    mediaType: 'text/csv',
    head: csvLine(Object.keys(COLUMNS)),
    line: (entry: FileEntry) => csvLine(CELLS.map((cell) => cell(entry))),
  },
  ndjson: {
    mediaType: 'application/x-ndjson',
    head: '',
    line: (entry: FileEntry) => `${JSON.stringify(entry)}\n`,
  },
} satisfies Record<AuditFileFormat, unknown>;

export function auditFile(format: AuditFileFormat, pages: AsyncIterable<readonly FileEntry[]>): StreamedFile {
  const { mediaType, head, line } = AUDIT_FILES[format];
  return new StreamedFile(mediaType, `audit.${format}`, toText(pages, head, line));
}

async function* toText(
  pages: AsyncIterable<readonly FileEntry[]>,
  head: string,
  line: (entry: FileEntry) => string,
): AsyncGenerator<string> {
  if (head !== '') yield head;
  for await (const entries of pages) yield entries.map(line).join('');
}
