import { ApiError } from '../../../api/api-error';

/** Problems of a form, by field path: `targets.0.provider`. */
export type Problems = ReadonlyMap<string, string>;

export const NO_PROBLEMS: Problems = new Map();

const PROBLEM = /^([\w.[\]:/-]+): (.+)$/s;

/**
 * Returns the API's refusal by field. The catalog reports all problems of an entry at once.
 * @param within the object that the call's body belongs to, if the catalog names fields by their full path: `pricing`
 */
export function problemsOf(error: unknown, within = ''): Problems {
  const problems = new Map<string, string>();
  if (!(error instanceof ApiError)) return problems;
  const put = (path: string, message: string) => {
    const name = path.replaceAll(/\[(\d+)\]/g, '.$1');
    const isWhole = within === '' || name === within || name.startsWith(`${within}.`);
    problems.set(isWhole ? name : `${within}.${name}`, sentence(message));
  };
  if (error.code === 'missing_parameter' && error.param) put(error.param, 'is required');
  for (const part of error.detail?.split('; ') ?? []) {
    const [, path, message] = PROBLEM.exec(part) ?? [];
    if (path && message) put(path, message);
  }
  return problems;
}

/** Returns the problems of a field and of the fields below it. */
export function problemsAt(problems: Problems, path: string): string | undefined {
  const found = [...problems].flatMap(([at, message]) => {
    if (at === path) return [message];
    return at.startsWith(`${path}.`) ? [`${at.slice(path.length + 1)}: ${message}`] : [];
  });
  return found.length === 0 ? undefined : found.join(' ');
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
