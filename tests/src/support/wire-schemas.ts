import { join } from 'node:path';
import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv';
import {
  buildGenerator,
  type Definition,
  type DefinitionOrBoolean,
  getProgramFromFiles,
  type PartialArgs,
} from 'typescript-json-schema';
import type { AnthropicTypes, GoogleTypes, OpenAiTypes } from './wire-types';

export type WireType = keyof OpenAiTypes | keyof AnthropicTypes | keyof GoogleTypes;

/** Google's members are nearly all optional, so a misspelt one would otherwise pass. The others' may have additions. */
const ROOTS: Readonly<Record<string, PartialArgs>> = {
  OpenAiTypes: {},
  AnthropicTypes: {},
  GoogleTypes: { noExtraProps: true },
};
/** Members that the types require and the APIs omit. */
const OMITTED: Readonly<Record<string, string>> = {
  // The client adds it.
  Response: 'output_text',
  // Anthropic omits it if there are none, and Vercel's client refuses null.
  TextBlock: 'citations',
};
const MAX_ERRORS = 4;

export interface WireTypes {
  readonly names: readonly WireType[];
  /** Returns what is wrong with a value; undefined if it has that type. */
  check(type: WireType, value: unknown): string | undefined;
}

/** Compiles the types of the providers' own clients, which are generated from the providers' published API documents. */
export function compileWireTypes(): WireTypes {
  const program = getProgramFromFiles([join(__dirname, 'wire-types.ts')], {
    module: 'nodenext',
    moduleResolution: 'nodenext',
    target: 'es2024',
    strict: true,
    skipLibCheck: true,
    types: [],
  });
  const validators = new Map<WireType, ValidateFunction>();
  for (const [root, options] of Object.entries(ROOTS)) {
    const settings = { required: true, strictNullChecks: true, ignoreErrors: true, ...options };
    const schema = buildGenerator(program, settings)?.getSchemaForSymbol(root);
    if (!schema?.properties) throw new Error(`no schema for ${root}`);
    const definitions = schema.definitions ?? {};
    for (const [name, definition] of Object.entries(definitions)) loosen(name, definition);
    discriminate(schema, definitions);
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, discriminator: true });
    ajv.addSchema(schema as AnySchema, root);
    for (const type of Object.keys(schema.properties)) {
      validators.set(
        type as WireType,
        ajv.compile({ $ref: `${root}#/properties/${encodeURIComponent(type)}` }),
      );
    }
  }
  return {
    names: [...validators.keys()],
    check(type, value) {
      const validate = validators.get(type)!;
      return validate(value) ? undefined : describe(validate.errors ?? []);
    },
  };
}

/** Relaxes what the APIs omit, and what the compiler makes of records and of `(string & {}) | 'a'`, which is any string. */
function loosen(name: string, definition: DefinitionOrBoolean): void {
  if (typeof definition === 'boolean') return;
  if (name.startsWith('Record<')) definition.additionalProperties = true;
  const { [name]: omitted } = OMITTED;
  if (omitted) definition.required = definition.required?.filter((member) => member !== omitted) ?? [];
  if (!definition.anyOf?.some(isStringAndObject)) return;
  delete definition.anyOf;
  definition.type = 'string';
}

const isStringAndObject = (member: DefinitionOrBoolean): boolean =>
  typeof member === 'object' &&
  Boolean(member.allOf?.some((part) => typeof part === 'object' && part.type === 'string'));

/** Marks the unions whose members differ by `type`, so that an error is that of the intended member. */
function discriminate(schema: unknown, definitions: Readonly<Record<string, DefinitionOrBoolean>>): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const member of Object.values(schema)) discriminate(member, definitions);
  const union = schema as Definition & { discriminator?: object };
  const types = new Set(union.anyOf?.map((member) => typeOf(member, definitions)));
  if (!union.anyOf || types.size < union.anyOf.length || types.has(undefined)) return;
  union.oneOf = union.anyOf;
  delete union.anyOf;
  Object.assign(union, { type: 'object', required: ['type'], discriminator: { propertyName: 'type' } });
}

function typeOf(
  member: DefinitionOrBoolean,
  definitions: Readonly<Record<string, DefinitionOrBoolean>>,
): unknown {
  if (typeof member === 'boolean') return undefined;
  const named = definitions[member.$ref?.slice('#/definitions/'.length) ?? ''];
  const { properties, required } = typeof named === 'object' ? named : member;
  const type = properties?.type;
  return required?.includes('type') && typeof type === 'object' ? type.const : undefined;
}

/** The deepest errors come first: those of a union's other members are at its own level. */
function describe(errors: readonly ErrorObject[]): string {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length;
  return errors
    .toSorted((a, b) => depth(b) - depth(a))
    .slice(0, MAX_ERRORS)
    .map(
      ({ instancePath, message, params }) =>
        `${instancePath.replaceAll(/\d+/g, 'n')} ${message} ${JSON.stringify(params).slice(0, 200)}`,
    )
    .join('; ');
}
