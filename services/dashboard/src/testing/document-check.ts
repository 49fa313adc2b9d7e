import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { ApiDocument, Operation } from '../openapi/api-document';

export interface CheckedAnswer {
  readonly status: number;
  readonly contentType: string;
  /** Parsed; undefined if it is not JSON. */
  readonly json: unknown;
}

interface KnownOperation {
  readonly method: string;
  readonly pattern: RegExp;
  readonly path: string;
  readonly operation: Operation;
}

/** Checks responses against the API document. */
export class DocumentCheck {
  readonly #document: ApiDocument;
  readonly #operations: readonly KnownOperation[];
  readonly #ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    strictTypes: false,
  });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.#document = document;
    addFormats(this.#ajv);
    this.#ajv.addFormat('binary', true);
    this.#ajv.addSchema({ $id: 'document', components: document.components });
    for (const word of ['components', 'example']) this.#ajv.addKeyword(word);
    this.#operations = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        method: method.toUpperCase(),
        pattern: patternOf(path),
        path,
        operation,
      })),
    );
  }

  /** Returns what the response has that the document lacks; undefined for nothing, or for an undocumented call. */
  problemOf(method: string, path: string, answer: CheckedAnswer): string | undefined {
    const known = this.#operations.find((one) => one.method === method && one.pattern.test(path));
    if (!known) return undefined;
    const where = `${method} ${known.path} ${answer.status}`;
    const response = known.operation.responses[answer.status] as
      | { content: Record<string, { schema?: object; examples?: object }> }
      | undefined;
    if (!response) return `${where}: no such status is documented`;
    const type = answer.contentType.split(';')[0] ?? '';
    const media = response.content[type];
    if (!media) return `${where}: ${type} is not documented`;
    if (type !== 'application/json') return undefined;
    const validate = this.validatorOf(`${known.path}.${method}.${answer.status}`, media.schema ?? true);
    if (!validate(answer.json)) return `${where}: ${this.#ajv.errorsText(validate.errors)}`;
    const code = (answer.json as { error?: { code: string } }).error?.code;
    const documented = Object.keys(media.examples ?? {});
    return code !== undefined && !documented.includes(code)
      ? `${where}: ${code} is not documented`
      : undefined;
  }

  /** Returns the validator of a schema of the document. */
  validatorOf(name: string, schema: unknown): ValidateFunction {
    let validate = this.#validators.get(name);
    if (!validate) {
      const local = JSON.parse(JSON.stringify(schema), (key, value) =>
        key === '$ref' ? String(value).replace(/^#/, 'document#') : value,
      );
      validate = this.#ajv.compile(local);
      this.#validators.set(name, validate);
    }
    return validate;
  }

  get operations(): readonly KnownOperation[] {
    return this.#operations;
  }

  get document(): ApiDocument {
    return this.#document;
  }
}

/** A slug may contain a slash; other parameters are one segment. */
function patternOf(path: string): RegExp {
  const pattern = path
    .replace(/[.]/g, '\\.')
    .replace(/\{(\w+)\}/g, (_, name) => (/slug|model/.test(name) ? '.+' : '[^/]+'));
  return new RegExp(`^${pattern}$`);
}
