import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Reads a compose file as `docker compose` does: merge keys, variables from `env`, and the services of the enabled profiles. */
export function readComposeFile(file, env) {
  const document = parse(readFileSync(file, 'utf8'), { merge: true });
  const profiles = (env.COMPOSE_PROFILES ?? '').split(',');
  const services = Object.entries(document.services).filter(
    ([, service]) => !service.profiles || service.profiles.some((profile) => profiles.includes(profile)),
  );
  return { ...document, services: interpolateAll(Object.fromEntries(services), env) };
}

function interpolateAll(value, env) {
  if (typeof value === 'string') return interpolate(value, env);
  if (Array.isArray(value)) return value.map((item) => interpolateAll(item, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolateAll(item, env)]));
}

const INNERMOST = /\$\{(\w+)(?::([-+?])([^${}]*))?\}/;
/** For `$$`, which stands for a dollar sign. */
const DOLLAR = '\0';

/** Replaces `${NAME}`, `${NAME:-default}`, `${NAME:+alternative}` and `${NAME:?message}`, also nested. */
export function interpolate(text, env) {
  let result = text.replaceAll('$$', DOLLAR);
  for (let found = INNERMOST.exec(result); found; found = INNERMOST.exec(result)) {
    const [expression, name, operator, word = ''] = found;
    const value = env[name] ?? '';
    if (operator === '?' && value === '') throw new Error(`${name}: ${word}`);
    const replacement = { '-': value || word, '+': value && word }[operator] ?? value;
    result = result.replace(expression, () => replacement.replaceAll('$', DOLLAR));
  }
  return result.replaceAll(DOLLAR, '$');
}
