import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { checkConfig } from '@gateway/catalog/dist/config/check-config';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';

/** The API takes as much JSON. */
const MAX_BYTES = 1024 * 1024;
const MAX_ALIASES = 1_000;

/** A problem of the file: `gateway.yaml:12 providers[0].base_url: must be an http or https URL`. */
export class ConfigFileError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigFileError';
  }
}

/** A valid configuration file. */
export interface ConfigFile {
  /** As the API takes it. */
  readonly config: Record<string, unknown>;
  /** Returns a problem of the file as a line to print. */
  describe(problem: { readonly path: string; readonly message: string }): string;
}

/** Returns the path of a file that the user named: npm runs scripts in the folder of package.json. */
export const fileFromCaller = (file: string): string => resolve(process.env.INIT_CWD ?? '.', file);

/** @throws ConfigFileError with all problems of the file */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  const name = relative(process.env.INIT_CWD ?? '.', file);
  const text = await readText(file, name);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  if (document.errors.length > 0) {
    throw new ConfigFileError(document.errors.map(({ message }) => `${name}: ${message.split('\n')[0]}`));
  }
  const describe: ConfigFile['describe'] = ({ path, message }) => {
    const line = lineOf(document, lines, path);
    return `${name}${line === 0 ? '' : `:${line}`} ${path ? `${path}: ` : ''}${message}`;
  };
  const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
  // The catalog that gets the file checks addresses by its own settings.
  const checked = checkConfig(value, { refusesLocal: false });
  if ('problems' in checked) {
    const ordered = checked.problems.map((problem) => ({
      line: lineOf(document, lines, problem.path),
      text: describe(problem),
    }));
    ordered.sort((one, other) => one.line - other.line);
    throw new ConfigFileError(ordered.map(({ text }) => text));
  }
  return { config: (value ?? {}) as Record<string, unknown>, describe };
}

async function readText(file: string, name: string): Promise<string> {
  try {
    const bytes = await readFile(file);
    if (bytes.length <= MAX_BYTES) return bytes.toString('utf8');
  } catch (error) {
    throw new ConfigFileError([`${name}: ${(error as NodeJS.ErrnoException).code ?? 'not readable'}`]);
  }
  throw new ConfigFileError([`${name}: larger than ${MAX_BYTES} bytes`]);
}

/** Returns the line of the value or of the nearest one that contains it; 0 if there is none. */
function lineOf(document: Document, lines: LineCounter, path: string): number {
  const steps = [...path.matchAll(/[^.[\]]+/g)].map(([step]) => (/^\d+$/.test(step) ? Number(step) : step));
  for (let length = steps.length; length > 0; length--) {
    const node = document.getIn(steps.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 0;
}
