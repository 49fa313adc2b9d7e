import type { z } from 'zod';

type Result<Output> =
  | { readonly success: true; readonly data: Output; readonly error?: undefined }
  | {
      readonly success: false;
      readonly data?: undefined;
      readonly error: { readonly issues: z.core.$ZodIssue[] };
    };

/**
 * What `schema.safeParse` answers. Its bounds of length compare the `length` of whatever they are given, and throw when
 * that is an object which is no number either: `{"length": {"toString": 1}}` where a text belongs (zod 4.6.7).
 */
export function safeParse<Output>(schema: z.ZodType<Output>, value: unknown): Result<Output> {
  try {
    return schema.safeParse(value);
  } catch {
    const message = 'an object stands where none belongs';
    return { success: false, error: { issues: [{ code: 'custom', path: [], message, input: undefined }] } };
  }
}
