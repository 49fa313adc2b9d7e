import type { Upload } from '../domain/upload';

/** A completely received form. */
export interface Form {
  readonly fields: ReadonlyMap<string, string>;
  /** Values of the fields that may be repeated, by the field's name. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** In order of arrival. */
  readonly uploads: readonly Upload[];
  /** SHA-256 in hex of names, values and files, without what separates them. */
  readonly digest: string;
  /** Deletes its files; uploads can't be read any more. May be called more than once. */
  close(): Promise<void>;
}

/** The files that a form may contain. Fields have their own schema. */
export interface FormRules {
  /** Names of the parts that are files, each with its maximum number. */
  readonly files: Readonly<Record<string, number>>;
  readonly kinds: readonly string[];
  /** Fields that may be repeated; absent: none. */
  readonly lists?: readonly string[];
}

export interface FormLimits {
  /** Bytes of the whole body. */
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** Bytes of all files. */
  readonly maxFilesBytes: number;
  readonly maxFields: number;
  readonly maxFieldBytes: number;
  /** Bytes of all fields, including names. */
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
