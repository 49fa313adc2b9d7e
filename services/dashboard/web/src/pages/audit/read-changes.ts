import { formatCount } from '../../ui/format-count';
import { formatMoney } from '../../ui/format-money';
import { formatTime } from '../../ui/format-time';

export interface ChangeInWords {
  readonly name: string;
  readonly value: string;
}

const MAX_CHARS = 120;
const MONEY: readonly string[] = [
  'daily_limit',
  'monthly_limit',
  'request_cost_limit',
  'daily_cost_limit',
  'amount',
];
const NAMES: Readonly<Record<string, string>> = {
  expires_at: 'Expires',
  grace_seconds: 'Old value valid for (seconds)',
  request_cost_limit: 'Limit per request',
  rpm_limit: 'Requests per minute',
  tpm_limit: 'Tokens per minute',
  when_short: 'Insufficient funds',
  fields: 'Fields',
};

/** Returns the requested change of an audit entry: each field's name and new value. */
export function readChanges(changes: unknown): ChangeInWords[] {
  if (typeof changes !== 'object' || changes === null) return [];
  return Object.entries(changes).map(([field, value]) => ({
    name: NAMES[field] ?? sentence(field.replaceAll('_', ' ')),
    value: shorten(inWords(field, value)),
  }));
}

function inWords(field: string, value: unknown): string {
  if (value === null || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return MONEY.includes(field) ? formatMoney(value) : formatCount(value);
  if (typeof value === 'string') return isTime(field, value) ? formatTime(value) : value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.length === 0 ? 'none' : value.join(', ');
  }
  return JSON.stringify(value);
}

const isTime = (field: string, value: string) => field.endsWith('_at') && !Number.isNaN(Date.parse(value));
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const shorten = (text: string) => (text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}…`);
