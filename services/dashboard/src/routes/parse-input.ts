import { HOME_CELL } from '@gateway/call-billing/cell-settings';
import { GatewayError } from '@gateway/errors';
import { isEmpty, safeParse } from '@gateway/json-body';
import { MODEL_TYPES } from '@gateway/models';
import { MAX_USD, nanoFromUsd } from '@gateway/money';
import { z } from 'zod';

/** Parameter of lists of all accounts. */
export const cellQuery = {
  cell: z
    .string()
    .max(31)
    .transform((name) => name || HOME_CELL)
    .default(HOME_CELL)
    .describe('Of a gateway with several cells: the one that is listed'),
};

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

export const pageQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'not a number from 1 to 1000')
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 1_000, 'not a number from 1 to 1000')
    .default(100),
  cursor: z.string().max(512).default(''),
});

/** A JSON number of USD with at most nine decimals, as nano-USD. */
const usdFrom = (leastUsd: number) =>
  z
    .number()
    .min(leastUsd)
    .max(MAX_USD)
    .transform((usd, context) => {
      const nano = nanoFromUsd(usd);
      if (nano !== undefined) return nano;
      context.addIssue('not an amount in USD with at most 9 decimals');
      return z.NEVER;
    });

export const signedUsdAmount = usdFrom(-MAX_USD);
export const usdAmount = usdFrom(0);

const TIME = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** A time, or the start of a UTC day, in milliseconds. */
export const moment = z.string().transform((text, context) => {
  const timeMs = TIME.safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (timeMs >= 0) return timeMs;
  context.addIssue('not an RFC 3339 time or a date');
  return z.NEVER;
});

export const modelSlug = z
  .string()
  .max(200)
  .regex(/^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._:-]*$/, 'not a model slug');

/** A slug or an alias, which may lack the provider and have capitals. */
export const modelName = z
  .string()
  .max(200)
  .regex(/^(?:[a-z0-9][a-z0-9._-]*\/)?[A-Za-z0-9][A-Za-z0-9._:-]*$/, 'not a model name');

/** A pattern of slugs with one star. */
const MODEL_PATTERN = /^[a-z0-9._:/-]*\*[a-z0-9._:/-]*$/;
const TYPE = 'type:';
const TYPES = MODEL_TYPES.map((type) => `${TYPE}${type}`);

/** Whether an entry of an allowlist stands for several models. */
export const isModelPattern = (entry: string): boolean => MODEL_PATTERN.test(entry) || TYPES.includes(entry);

/** An entry of an allowlist. An alias can't begin like a type. */
export const allowedModel = z
  .string()
  .max(200)
  .refine(
    (entry) => isModelPattern(entry) || (!entry.startsWith(TYPE) && modelName.safeParse(entry).success),
    `not a model name, a pattern with one *, or one of ${TYPES.join(', ')}`,
  );

export const UNSUPPORTED_TOOLS = ['refuse', 'drop'] as const;

/** Text for display: trimmed, without control characters. */
export const label = (maxCharacters: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxCharacters)
    .refine(
      (text) => text.isWellFormed() && !/\p{Cc}/u.test(text),
      'contains control characters or unpaired surrogates',
    );
