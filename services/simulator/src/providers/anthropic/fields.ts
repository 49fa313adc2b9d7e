import { isObject, type Json } from '../json';
import { invalid } from './error';

// Readers of single fields; `at` is the path as Anthropic writes it: messages.0.content.1.text

export function objectAt(value: unknown, at: string): Json {
  if (value === undefined) throw missing(at);
  if (!isObject(value)) throw invalid(`${at}: Input should be an object`);
  return value;
}

export function listAt(value: unknown, at: string): unknown[] {
  if (value === undefined) throw missing(at);
  if (!Array.isArray(value)) throw invalid(`${at}: Input should be a valid list`);
  return value;
}

export function stringAt(value: unknown, at: string): string {
  if (value === undefined) throw missing(at);
  if (typeof value !== 'string') throw invalid(`${at}: Input should be a valid string`);
  return value;
}

export function integerAt(value: unknown, at: string, least: number): number {
  if (value === undefined) throw missing(at);
  if (!Number.isSafeInteger(value)) throw invalid(`${at}: Input should be a valid integer`);
  if ((value as number) < least) throw invalid(`${at}: Input should be greater than or equal to ${least}`);
  return value as number;
}

export function oneOfAt<T extends string>(value: unknown, choices: readonly T[], at: string): T {
  if (value === undefined) throw missing(at);
  if (!choices.includes(value as T)) {
    throw invalid(`${at}: Input should be ${choices.map((choice) => `'${choice}'`).join(', ')}`);
  }
  return value as T;
}

export function matchAt(value: unknown, pattern: RegExp, at: string): string {
  const text = stringAt(value, at);
  if (!pattern.test(text)) throw invalid(`${at}: String should match pattern '${pattern.source}'`);
  return text;
}

/** @param at path of the object; empty for the body itself */
export function onlyFields(value: Json, known: ReadonlySet<string>, at: string): void {
  for (const field of Object.keys(value)) {
    if (!known.has(field)) throw extra(at === '' ? field : `${at}.${field}`);
  }
}

export const extra = (at: string) => invalid(`${at}: Extra inputs are not permitted`);

const missing = (at: string) => invalid(`${at}: Field required`);
