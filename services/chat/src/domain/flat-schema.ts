import { isObject, listOf, membersOf, textOf } from '@gateway/upstream';

type Schema = Readonly<Record<string, unknown>>;

/** Keywords that OpenAI and Anthropic refuse at the root of a tool's parameters, although they are objects. */
const COMBINING = ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'];
const DEFINITION = /^#\/(\$defs|definitions)\/([^/]+)$/;

/**
 * Returns the parameters of a tool without alternatives and combinations at their root: an object with the properties of all of them,
 * which requires what each of them does. The same schema if there are none.
 */
export function flatSchema(schema: Schema): Schema {
  if (!COMBINING.some((keyword) => keyword in schema)) return schema;
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !COMBINING.includes(keyword)));
  const variantsOf = (keyword: string) => listOf(schema[keyword]).map((variant) => resolved(variant, schema));
  const all = variantsOf('allOf');
  const choices = [variantsOf('anyOf'), variantsOf('oneOf')];
  const properties: Record<string, unknown> = {};
  for (const variant of [kept, ...all, ...choices.flat()]) {
    for (const [name, property] of Object.entries(membersOf(variant.properties)))
      properties[name] = name in properties ? either(properties[name], property) : property;
  }
  const required = new Set([
    ...[kept, ...all].flatMap((variant) => listOf(variant.required)),
    ...choices.flatMap(requiredByEach),
  ]);
  return { ...kept, type: 'object', properties, ...(required.size > 0 && { required: [...required] }) };
}

/** Returns the definition that a variant refers to, or the variant itself. */
function resolved(variant: unknown, root: Schema): Schema {
  const [, list = '', name = ''] = DEFINITION.exec(textOf(membersOf(variant).$ref)) ?? [];
  const definition = membersOf(root[list])[name];
  return isObject(definition) ? definition : membersOf(variant);
}

function requiredByEach([first, ...others]: readonly Schema[]): readonly unknown[] {
  return listOf(first?.required).filter((name) =>
    others.every(({ required }) => listOf(required).includes(name)),
  );
}

const either = (one: unknown, other: unknown): unknown =>
  JSON.stringify(one) === JSON.stringify(other) ? one : { anyOf: [one, other] };
