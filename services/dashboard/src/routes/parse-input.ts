import { GatewayError } from '@gateway/errors';
import { isEmpty, safeParse } from '@gateway/json-body';
import { z } from 'zod';

/**
 * Parses the body by its schema. Throws `invalid_request` for a wrong value, else `missing_parameter` for a required field that
 * is absent, null or empty.
 */
export function parseBody<T extends z.ZodRawShape>(
  schema: z.ZodObject<T>,
  body: unknown,
): z.output<z.ZodObject<T>> {
  const result = safeParse(schema, body);
  if (result.success) return result.data as z.output<z.ZodObject<T>>;
  const missing = missingFields(schema, body);
  const { issues } = result.error;
  const wrong = issues.find((issue) => !missing.includes(String(issue.path[0])) && !isAbsent(issue, body));
  if (wrong) throw invalid(wrong);
  throw new GatewayError('missing_parameter', { param: missing[0] ?? fieldName(issues[0]!) });
}

/** Parses the query by its schema; unknown parameters are ignored. */
export function parseQuery<T extends z.ZodRawShape>(
  schema: z.ZodObject<T>,
  query: unknown,
): z.output<z.ZodObject<T>> {
  const result = schema.safeParse(query);
  if (result.success) return result.data as z.output<z.ZodObject<T>>;
  throw invalid(result.error.issues[0]);
}

function missingFields(schema: z.ZodObject<z.ZodRawShape>, body: unknown): string[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const given = body as Record<string, unknown>;
  return Object.entries(schema.shape)
    .filter(([, field]) => !z.safeParse(field, undefined).success)
    .map(([name]) => name)
    .filter((name) => isEmpty(Object.hasOwn(given, name) ? given[name] : undefined));
}

/** Whether the issue is an absent value inside a field. */
function isAbsent({ code, path }: z.core.$ZodIssue, body: unknown): boolean {
  if (code !== 'invalid_type' && code !== 'invalid_value') return false;
  let value = body;
  for (const step of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[step];
  return path.length > 1 && value === undefined;
}

/** `targets[0].provider` */
const fieldName = ({ path }: z.core.$ZodIssue): string =>
  path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index ? '.' : ''}${String(step)}`))
    .join('');

function invalid(issue: z.core.$ZodIssue | undefined): GatewayError {
  const at = issue?.path.map(String).join('.');
  const what = issue?.message ?? 'invalid';
  return new GatewayError('invalid_request', { detail: at ? `${at}: ${what}` : what });
}
