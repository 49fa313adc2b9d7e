import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/** Converts zod schemas to those of the document; named schemas are defined once. */
export class SchemaBook {
  /** By name. */
  readonly schemas: Record<string, JsonSchema> = {};

  /** Schema of a request. */
  input(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'input');
  }

  /** Schema of a response. */
  output(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'output');
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Inside another object, a named schema is always a reference.
    const { $defs, properties } = z.toJSONSchema(z.object({ root: schema }), {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => tidy(zodSchema, jsonSchema as JsonSchema, io),
    }) as unknown as { $defs?: Record<string, JsonSchema>; properties: { root: JsonSchema } };
    for (const [name, named] of Object.entries($defs ?? {})) this.schemas[name] ??= moved(named);
    return moved(properties.root);
  }
}

/**
 * Custom checks have no JSON schema; ours are all on objects. Omits the bounds of all safe integers, and the defaults of input
 * schemas that responses share.
 */
function tidy(zodSchema: z.core.$ZodType, jsonSchema: JsonSchema, io: 'input' | 'output'): void {
  if (io === 'output') delete jsonSchema.default;
  if (zodSchema._zod.def.type === 'custom') jsonSchema.type = 'object';
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** References point to the document's components. */
function moved(schema: JsonSchema): JsonSchema {
  const { id: _name, ...rest } = JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' ? String(value).replace('#/$defs/', '#/components/schemas/') : value,
  );
  return typeof _name === 'string' ? rest : { ...rest, ...(_name === undefined ? {} : { id: _name }) };
}
