#!/usr/bin/env node
// Plain JavaScript without dependencies, because it runs in the build of an image.
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns a CycloneDX 1.6 document of the packages that are installed in a folder, and of Node. It is read from the folder and
 * not from the lockfile, so that it has exactly what the image has. The same folder always gives the same document.
 * @param started folders of the programs that the one in `folder` starts
 */
export function softwareBillOfMaterials(folder, started = []) {
  const packages = new Map();
  const visited = new Set();
  const read = (path) => readPackage(realpathSync(path), packages, visited);
  const root = read(folder);
  for (const path of started) root.dependencies.add(read(path).ref);
  const node = nodeRuntime();
  const components = [...packages.values()].filter(({ ref }) => ref !== root.ref).sort(byRef);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...component(root), type: 'application' } },
    components: [...components.map(component), node],
    dependencies: [
      { ref: root.ref, dependsOn: [...root.dependencies, node['bom-ref']].sort() },
      ...components.map(({ ref, dependencies }) => ({ ref, dependsOn: [...dependencies].sort() })),
    ],
  };
}

/**
 * Reads the package in `folder` and the packages it depends on into `packages`, by purl. A version that is installed in several
 * folders, with different peers, becomes one component.
 */
function readPackage(folder, packages, visited) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const ref = purl(manifest);
  const read = packages.get(ref) ?? { manifest, ref, dependencies: new Set() };
  packages.set(ref, read);
  if (visited.has(folder)) return read;
  visited.add(folder);
  const names = Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  });
  for (const name of names) {
    const found = findPackage(folder, name);
    if (found) read.dependencies.add(readPackage(found, packages, visited).ref);
    else if (isRequired(manifest, name)) throw new Error(`${ref} needs ${name}, which is not installed`);
  }
  return read;
}

function isRequired(manifest, name) {
  const isOptional = manifest.optionalDependencies?.[name] ?? manifest.peerDependenciesMeta?.[name]?.optional;
  return !isOptional;
}

/** Finds a package as Node does: in `node_modules` of the folder and of those above it. */
function findPackage(folder, name) {
  for (let at = folder; ; at = dirname(at)) {
    try {
      return realpathSync(join(at, 'node_modules', name));
    } catch (error) {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
      if (at === dirname(at)) return undefined;
    }
  }
}

function component({ manifest, ref }) {
  const [name, group] = manifest.name.split('/').reverse();
  return {
    type: 'library',
    'bom-ref': ref,
    ...(group && { group }),
    name,
    version: manifest.version,
    ...licenses(manifest),
    purl: ref,
  };
}

/** Returns the license a package states; some do as an object or as a list, as npm once specified. */
function licenses(manifest) {
  const ours = manifest.private ? 'Apache-2.0' : [];
  const stated = [manifest.license ?? manifest.licenses ?? ours].flat().map((one) => one.type ?? one);
  if (stated.length === 0) return {};
  const isExpression =
    stated.length === 1 && /^\(?[\w.+-]+(\)? (AND|OR|WITH) \(?[\w.+-]+)*\)?$/.test(stated[0]);
  if (isExpression) return { licenses: [{ expression: stated[0] }] };
  return { licenses: stated.map((name) => ({ license: { name } })) };
}

/** https://github.com/package-url/purl-spec: the `@` of a scope is encoded. */
const purl = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

function nodeRuntime() {
  const version = process.versions.node;
  const ref = `pkg:generic/node@${version}`;
  return {
    type: 'platform',
    'bom-ref': ref,
    name: 'node',
    version,
    licenses: [{ license: { id: 'MIT' } }],
    purl: ref,
  };
}

const byRef = (a, b) => (a.ref < b.ref ? -1 : 1);

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) {
  const [folder, ...started] = process.argv.slice(2);
  process.stdout.write(`${JSON.stringify(softwareBillOfMaterials(folder, started), undefined, 2)}\n`);
}
