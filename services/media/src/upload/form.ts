import type { Upload } from '../domain/upload';

/** A form that came whole. */
export interface Form {
  readonly fields: ReadonlyMap<string, string>;
  /** In the order in which they came. */
  readonly uploads: readonly Upload[];
  /** SHA-256 in hex over names, values and files, not over what separates them. */
  readonly digest: string;
  /** Frees its files; uploads can't be read any more. May be called more than once. */
  close(): Promise<void>;
}

/** What a call takes in its form, beside fields, which its own schema judges. */
export interface FormRules {
  /** Names of parts that are files, each with how many of it there may be. */
  readonly files: Readonly<Record<string, number>>;
  readonly kinds: readonly string[];
}

export interface FormLimits {
  /** All bytes of the body. */
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** Of all files together. */
  readonly maxFilesBytes: number;
  readonly maxFields: number;
  readonly maxFieldBytes: number;
  /** Of all fields together, names included. */
  readonly maxFieldsBytes: number;
}

const MIB = 1024 * 1024;

export const FORM_LIMITS: FormLimits = {
  maxBytes: 110 * MIB,
  maxFiles: 16,
  maxFileBytes: 50 * MIB,
  maxFilesBytes: 100 * MIB,
  maxFields: 64,
  maxFieldBytes: 256 * 1024,
  maxFieldsBytes: MIB,
};
