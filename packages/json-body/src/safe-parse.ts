import type { z } from 'zod';

type Result<Output> =
  | { readonly success: true; readonly data: Output; readonly error?: undefined }
  | {
      readonly success: false;
      readonly data?: undefined;
      readonly error: { readonly issues: z.core.$ZodIssue[] };
    };

/**
 * Returns the result of `schema.safeParse`. Its length checks compare the `length` of any value, and throw if that is an object
 * that can't be converted to a number, such as `{"length": {"toString": 1}}` in place of a string (zod 4.6.7).
 */
export function safeParse<Output>(schema: z.ZodType<Output>, value: unknown): Result<Output> {
  try {
    return schema.safeParse(value);
  } catch {
    const message = 'unexpected object';
    return { success: false, error: { issues: [{ code: 'custom', path: [], message, input: undefined }] } };
  }
}
