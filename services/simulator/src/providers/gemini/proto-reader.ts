import { isObject, type Json } from '../json';
import { badRequest, type Violation } from './error';

/**
 * Reads a body as Google's protobuf parser does: only known fields and types, null like an absent field. All violations are
 * reported together, each with its path in the parser's spelling (`tools[0].function_declarations[2].parameters`).
 */
export class ProtoReader {
  readonly #faults: Violation[] = [];

  message(value: unknown, known: ReadonlySet<string>, at: string): Json {
    if (value == null) return {};
    if (!isObject(value)) {
      this.#wrong(value, at, 'TYPE_MESSAGE');
      return {};
    }
    const fields: Json = {};
    for (const [field, inner] of Object.entries(value)) {
      const name = known.has(field) ? field : inCamelCase(field);
      if (known.has(name)) fields[name] = inner;
      else this.unknown(field, at);
    }
    return fields;
  }

  list(value: unknown, at: string): unknown[] {
    if (value == null) return [];
    if (Array.isArray(value)) return value;
    this.#wrong(value, at, 'repeated');
    return [];
  }

  text(value: unknown, at: string): string | undefined {
    if (typeof value === 'string') return value;
    if (value != null) this.#wrong(value, at, 'TYPE_STRING');
    return undefined;
  }

  texts(value: unknown, at: string): string[] {
    return this.list(value, at).map((text, i) => this.text(text, `${at}[${i}]`) ?? '');
  }

  number(value: unknown, at: string): number | undefined {
    if (typeof value === 'number') return value;
    if (value != null) this.#wrong(value, at, 'TYPE_FLOAT');
    return undefined;
  }

  integer(value: unknown, at: string): number | undefined {
    if (Number.isInteger(value)) return value as number;
    if (value != null) this.#wrong(value, at, 'TYPE_INT32');
    return undefined;
  }

  boolean(value: unknown, at: string): boolean {
    if (value != null && typeof value !== 'boolean') this.#wrong(value, at, 'TYPE_BOOL');
    return value === true;
  }

  /** @param names in capitals; with `anyCase` other spellings are accepted too */
  enumeration(value: unknown, names: ReadonlySet<string>, at: string, anyCase = false): string | undefined {
    if (value == null) return undefined;
    const name = typeof value === 'string' && anyCase ? value.toUpperCase() : value;
    if (typeof name === 'string' && names.has(name)) return name;
    if (Array.isArray(value)) {
      this.violation(
        at,
        `Invalid JSON payload received. Unknown name "${lastName(at)}" at '${parentOf(at)}': Proto field is not repeating, cannot start list.`,
      );
    } else this.#wrong(value, at, 'TYPE_ENUM');
    return undefined;
  }

  unknown(field: string, at: string): void {
    const place = at === '' ? '' : ` at '${at}'`;
    this.violation(at, `Invalid JSON payload received. Unknown name "${field}"${place}: Cannot find field.`);
  }

  /** @throws ProviderError if there were violations */
  check(): void {
    if (this.#faults.length > 0) throw badRequest(this.#faults);
  }

  #wrong(value: unknown, at: string, type: string): void {
    this.violation(at, `Invalid value at '${at}' (${type}), ${JSON.stringify(value).slice(0, 64)}`);
  }

  violation(field: string, description: string): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ field, description });
  }
}

/** The parser accepts the original name of a field, too (protobuf.dev, "ProtoJSON format"). */
const inCamelCase = (field: string): string =>
  field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const MAX_FAULTS = 100;

const lastName = (at: string) => at.slice(at.lastIndexOf('.') + 1);
const parentOf = (at: string) => at.slice(0, Math.max(0, at.lastIndexOf('.')));
