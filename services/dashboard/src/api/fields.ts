import { HOME_CELL } from '@gateway/call-billing/cell-settings';
import { MODEL_TYPES } from '@gateway/models';
import { MAX_USD, nanoFromUsd } from '@gateway/money';
import { z } from 'zod';
import { ROLES } from '../domain/access';
import { normaliseEmail } from '../domain/email';

/** The JSON of a response, as the server writes it and pages read it. */
export type Json<Schema extends z.ZodType> = ReadonlyDeep<z.output<Schema>>;

/** The JSON of a request's body, as pages write it. */
export type JsonBody<Schema extends z.ZodType> = ReadonlyDeep<z.input<Schema>>;

type ReadonlyDeep<T> = T extends object ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> } : T;

/** The JSON of a list's page. */
export type Page<Item> = Omit<Json<ReturnType<typeof listOf>>, 'data'> & { readonly data: readonly Item[] };

export type { AnyErrorCode as ErrorCode, ErrorEnvelope } from '@gateway/errors';

export const id = z.string();
export const usd = z.number().meta({ description: 'USD, with at most nine decimals' });
export const time = z.string().meta({ format: 'date-time' });
export const count = z.int().nonnegative();
export const milliseconds = z.number().nonnegative();
export const role = z.enum(ROLES);
export type Role = z.output<typeof role>;

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: '`cursor` of the next page; null on the last one' }),
  });

export const deletedResponse = z.object({ id, deleted: z.literal(true) });

// Catalog validates its entries: only their types and sizes are checked.
export const word = z.string().min(1).max(64);
export const words = z.array(word).max(50);
export const tokens = z.number().int().min(0).max(2_000_000_000);

/** Parameter of lists of all accounts. */
export const cellQuery = {
  cell: z
    .string()
    .max(31)
    .transform((name) => name || HOME_CELL)
    .default(HOME_CELL)
    .describe('Of a gateway with several cells: the one that is listed'),
};

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

export const emailAddress = z.string().transform((email, context) => {
  const normal = normaliseEmail(email);
  if (normal !== undefined) return normal;
  context.addIssue('not an email address');
  return z.NEVER;
});
