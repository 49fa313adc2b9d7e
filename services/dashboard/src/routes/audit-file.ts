import { csvLine } from '../domain/csv-line';
import { StreamedFile } from './streamed-file';
import type { AuditJson } from './to-audit-json';

type Cell = (entry: AuditJson) => string | null;

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
    line: (entry: AuditJson) => csvLine(CELLS.map((cell) => cell(entry))),
  },
  ndjson: {
    mediaType: 'application/x-ndjson',
    head: '',
    line: (entry: AuditJson) => `${JSON.stringify(entry)}\n`,
  },
} as const;

export type AuditFileFormat = keyof typeof AUDIT_FILES;

export function auditFile(format: AuditFileFormat, pages: AsyncIterable<readonly AuditJson[]>): StreamedFile {
  const { mediaType, head, line } = AUDIT_FILES[format];
  return new StreamedFile(mediaType, `audit.${format}`, toText(pages, head, line));
}

async function* toText(
  pages: AsyncIterable<readonly AuditJson[]>,
  head: string,
  line: (entry: AuditJson) => string,
): AsyncGenerator<string> {
  if (head !== '') yield head;
  for await (const entries of pages) yield entries.map(line).join('');
}
