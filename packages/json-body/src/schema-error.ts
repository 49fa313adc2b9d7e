import { GatewayError } from '@gateway/errors';
import type { z } from 'zod';
import { isEmpty, missingParameter } from './missing-parameter';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

const MAX_DETAIL_CHARS = 300;

/**
 * Returns the public error for a body that its schema refuses. A wrong value takes precedence over a missing one.
 * @param required names of fields for which null and empty count as missing; `tools.name` is that of a tool only
 */
export function schemaError(
  body: unknown,
  issues: readonly Issue[],
  required: readonly string[],
): GatewayError {
  const all = issues.flatMap((issue) => flatten(issue, []));
  const isAbsent = (issue: Located) => {
    const value = valueAt(body, issue.path);
    return value === undefined || (isEmpty(value) && endsWithAny(issue.path, required));
  };
  const wrong = all.find((issue) => !isAbsent(issue));
  if (wrong) {
    const detail = `${pathName(wrong.path) || 'body'}: ${wrong.message}`.slice(0, MAX_DETAIL_CHARS);
    return new GatewayError('invalid_request', { detail });
  }
  return missingParameter(pathName(all[0]?.path ?? []));
}

function endsWithAny(path: Path, names: readonly string[]): boolean {
  const fields = `.${path.filter((part) => typeof part === 'string').join('.')}`;
  return typeof path.at(-1) === 'string' && names.some((name) => fields.endsWith(`.${name}`));
}

/** `['messages', 0, 'role']` → `messages[0].role`. */
function pathName(path: Path): string {
  let name = '';
  for (const part of path) {
    if (typeof part === 'number') name += `[${part}]`;
    else name += name ? `.${String(part)}` : String(part);
  }
  return name;
}

interface Located {
  readonly path: Path;
  readonly message: string;
}

/** Of a union's alternatives, selects the one whose outer type matches: its issues have longer paths. */
function flatten(issue: Issue, prefix: Path): Located[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.find(
      (errors) => errors.length > 0 && errors.every((error) => error.path.length > 0),
    );
    if (meant) return meant.flatMap((error) => flatten(error, path));
  }
  return [{ path, message: issue.message }];
}

function valueAt(body: unknown, path: Path): unknown {
  let value = body;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}
