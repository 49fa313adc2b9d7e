import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/** Turns zod's schemas into those of the document, the ones that have a name once. */
export class SchemaBook {
  /** By name. */
  readonly schemas: Record<string, JsonSchema> = {};

  /** What is sent to us. */
  input(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'input');
  }

  /** What we answer. */
  output(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'output');
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Within another object a schema that has a name is always referred to by it.
    const { $defs, properties } = z.toJSONSchema(z.object({ root: schema }), {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => tidy(zodSchema, jsonSchema as JsonSchema),
    }) as unknown as { $defs?: Record<string, JsonSchema>; properties: { root: JsonSchema } };
    for (const [name, named] of Object.entries($defs ?? {})) this.schemas[name] ??= moved(named);
    return moved(properties.root);
  }
}

/** A custom check says nothing of what it checks; ours are all of objects. Bounds of all whole numbers are none. */
function tidy(zodSchema: z.core.$ZodType, jsonSchema: JsonSchema): void {
  if (zodSchema._zod.def.type === 'custom') jsonSchema.type = 'object';
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** References are to the document's components. */
function moved(schema: JsonSchema): JsonSchema {
  const { id: _name, ...rest } = JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' ? String(value).replace('#/$defs/', '#/components/schemas/') : value,
  );
  return typeof _name === 'string' ? rest : { ...rest, ...(_name === undefined ? {} : { id: _name }) };
}
