#!/usr/bin/env node
// Creates and replaces the secrets between services in a file of settings, such as compose's .env. Needs Node only.
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const USAGE = `Usage: node deploy/service-secrets.mjs FILE [--add | --use | --remove]

Gives each empty SERVICE_SECRET_… and SIGNING_SECRET_… in the file a random value. A replacement takes three steps; after each,
restart all services, in any order:
  --add      append a new secret to each SERVICE_SECRET_…: it is accepted
  --use      put the last one first: it is sent
  --remove   leave only the first`;

const SETTING = /^((?:SERVICE|SIGNING)_SECRET_[A-Z_]+)=(.*)$/;
const random = () => randomBytes(32).toString('base64url');
const STEPS = {
  '--add': (secrets) => [...secrets, random()],
  '--use': (secrets) => [...secrets.slice(-1), ...secrets.slice(0, -1)],
  '--remove': (secrets) => secrets.slice(0, 1),
};

const [file, step, ...rest] = process.argv.slice(2);
if (!file || file.startsWith('-') || rest.length > 0 || (step && !Object.hasOwn(STEPS, step))) {
  console.error(USAGE);
  process.exit(2);
}
let changes = 0;
const lines = readFileSync(file, 'utf8')
  .split('\n')
  .map((line) => {
    const [, name, value] = SETTING.exec(line) ?? [];
    if (name === undefined) return line;
    const filled = value === '' ? [random()] : value.split(',');
    // Ids and links that clients have depend on the first signing secret, so it is replaced by hand.
    const next = step && name.startsWith('SERVICE_') ? STEPS[step](filled).join(',') : filled.join(',');
    if (next !== value) changes += 1;
    return `${name}=${next}`;
  });
// A crash must not leave half a file.
writeFileSync(`${file}.new`, lines.join('\n'), { mode: 0o600 });
renameSync(`${file}.new`, file);
chmodSync(file, 0o600);
console.log(`${changes} ${changes === 1 ? 'secret' : 'secrets'} changed in ${file}`);
