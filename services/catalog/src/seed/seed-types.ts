import { z } from 'zod';

/** Text on one line, with a generous maximum. */
export const text = (maxCharacters: number) =>
  z
    .string()
    .min(1)
    .max(maxCharacters)
    .refine(
      (value) => value.isWellFormed() && !/\p{Cc}/u.test(value),
      'contains control characters or unpaired surrogates',
    );

export const listOf = <T extends z.ZodType>(item: T, most: number) =>
  z
    .array(item)
    .max(most)
    .refine((items) => new Set(items).size === items.length, 'contains duplicates');
