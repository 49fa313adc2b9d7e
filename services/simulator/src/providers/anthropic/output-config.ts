import { instanceOf } from '../../domain/schema-instance';
import { isObject } from '../json';
import { invalid } from './error';
import { objectAt, oneOfAt, onlyFields } from './fields';

const FIELDS = new Set(['effort', 'format', 'task_budget']);
const FORMAT_FIELDS = new Set(['type', 'schema']);
const MAX_DEPTH = 64;

/** Returns a text in the format of `output_config.format`; null if none is requested. */
export function readOutputConfig(value: unknown): string | null {
  if (value === undefined) return null;
  const config = objectAt(value, 'output_config');
  onlyFields(config, FIELDS, 'output_config');
  if (config.effort != null) {
    oneOfAt(config.effort, ['low', 'medium', 'high', 'xhigh', 'max'], 'output_config.effort');
  }
  if (config.format == null) return null;
  const format = objectAt(config.format, 'output_config.format');
  onlyFields(format, FORMAT_FIELDS, 'output_config.format');
  oneOfAt(format.type, ['json_schema'], 'output_config.format.type');
  const schema = objectAt(format.schema, 'output_config.format.schema');
  checkClosed(schema, 0);
  return JSON.stringify(instanceOf(schema));
}

// Every object in the schema must forbid additional properties.
function checkClosed(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw invalid('output_config.format.schema: Schema is too deep');
  if (Array.isArray(value)) for (const inner of value) checkClosed(inner, depth + 1);
  if (!isObject(value)) return;
  if (value.type === 'object' && value.additionalProperties !== false) {
    throw invalid(
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    );
  }
  for (const [key, inner] of Object.entries(value)) {
    if (key !== 'const' && key !== 'enum' && key !== 'default' && key !== 'examples')
      checkClosed(inner, depth + 1);
  }
}
