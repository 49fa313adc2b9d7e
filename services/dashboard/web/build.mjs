#!/usr/bin/env node
// Builds the web UI into dist; does nothing if dist was built from the same sources.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DIST = join(HERE, 'dist');
/** A hidden file, so that it is not served. */
const STAMP = join(DIST, '.sources');
const SOURCES = [
  'build.mjs',
  'index.html',
  'package.json',
  'public',
  'src',
  'tsconfig.json',
  'vite.config.ts',
];
const COMPRESSIBLE = /\.(js|css|html|svg|json)$/;
/** Smaller files are not worth compressing. */
const MIN_COMPRESSED_BYTES = 1024;

const sources = digest();
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== sources) {
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({ root: HERE, logLevel: 'warn' });
  await Promise.all(filesIn(DIST).filter(isWorthIt).map(compress));
  writeFileSync(STAMP, sources);
}

/**
 * Hashes contents instead of times: a checkout gives old files new times. The lockfile stands for the libraries, except those of the
 * workspace.
 */
function digest() {
  const hash = createHash('sha256');
  const outside = ['pnpm-lock.yaml', 'proto/src/allowed-models.ts', 'packages/pricing/src'];
  const inputs = [...SOURCES, ...outside.map((name) => join('../../..', name))]
    .flatMap((name) => filesIn(join(HERE, name)))
    .filter((file) => !isTest(file));
  for (const file of inputs.sort()) {
    const content = readFileSync(file);
    hash.update(`${relative(HERE, file)}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function isTest(file) {
  return file.endsWith('.test.ts');
}

function isWorthIt(file) {
  return COMPRESSIBLE.test(file) && readFileSync(file).length >= MIN_COMPRESSED_BYTES;
}

async function compress(file) {
  const bytes = readFileSync(file);
  const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  const [gzipped, brotli] = await Promise.all([
    promisify(gzip)(bytes, { level: 9 }),
    promisify(brotliCompress)(bytes, brotliOptions),
  ]);
  writeFileSync(`${file}.gz`, gzipped);
  writeFileSync(`${file}.br`, brotli);
}
