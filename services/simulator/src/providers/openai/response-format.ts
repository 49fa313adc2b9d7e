import { instanceOf } from '../../domain/schema-instance';
import { isObject } from '../json';

/** A text that suits `response_format`; null when any text does. */
export function formattedText(format: unknown): string | null {
  if (!isObject(format)) return null;
  if (format.type === 'json_object') return '{}';
  if (format.type !== 'json_schema' || !isObject(format.json_schema)) return null;
  return JSON.stringify(instanceOf(format.json_schema.schema));
}
