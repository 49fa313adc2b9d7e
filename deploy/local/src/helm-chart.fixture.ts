import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '@gateway/local-stack';
import Ajv, { type ValidateFunction } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';

/** Paths that `real-engines.mjs helm` prints; absent: the tests are skipped. */
export const HELM = process.env.TEST_HELM || undefined;
export const SCHEMAS = process.env.TEST_KUBERNETES_SCHEMAS || undefined;

export const CHART = join(REPOSITORY, 'deploy/helm/model-gateway');
export const VALUE_SETS = readdirSync(join(CHART, 'ci')).map((file) => file.replace('-values.yaml', ''));

const valuesFile = (set: string) => join(CHART, `ci/${set}-values.yaml`);

// biome-ignore lint/suspicious/noExplicitAny: manifests are checked against their published schemas first
export type Manifest = any;

export const lint = (set: string): string =>
  execFileSync(HELM!, ['lint', CHART, '--strict', '-f', valuesFile(set)], { encoding: 'utf8' });

export interface Release {
  readonly name: string;
  readonly namespace: string;
}
/** The releases that the values of cells name each other by. */
const RELEASES: Readonly<Record<string, Release>> = {
  'cell-home': { name: 'gateway', namespace: 'gateway' },
  'cell-b': { name: 'gateway-b', namespace: 'gateway-b' },
};
export const releaseOf = (set: string): Release => RELEASES[set] ?? { name: 'gw', namespace: 'prod' };

const rendered = new Map<string, readonly Manifest[]>();

/** Manifests of a first installation. The same ones for each call, although generated secrets differ in each rendering. */
export function render(set: string): readonly Manifest[] {
  const known = rendered.get(set);
  if (known) return known;
  const { output, status } = template(['-f', valuesFile(set)], releaseOf(set));
  if (status !== 0) throw new Error(output);
  const documents = parseAllDocuments(output);
  for (const { errors } of documents) if (errors[0]) throw errors[0];
  const manifests = documents.map((document) => document.toJS()).filter((manifest) => manifest !== null);
  rendered.set(set, manifests);
  return manifests;
}

/** Renders with the options of `helm template`, and returns its output: the manifests, or why they are refused. */
export function template(
  options: readonly string[],
  { name, namespace }: Release = releaseOf(''),
): { output: string; status: number | null } {
  const args = ['template', name, CHART, '--namespace', namespace, ...options];
  const { stdout, stderr, status } = spawnSync(HELM!, args, { encoding: 'utf8', maxBuffer: 16 << 20 });
  return { output: status === 0 ? stdout : stderr, status };
}

interface JsonSchema {
  [keyword: string]: unknown;
  properties?: Record<string, JsonSchema>;
}

/** Returns a function that lists how a manifest differs from the schema of its kind; unknown fields are errors. */
export function manifestValidator(): (manifest: Manifest) => string[] {
  const read = (file: string) => readFileSync(join(SCHEMAS!, file), 'utf8');
  const { definitions } = closed(JSON.parse(read('swagger.json'))) as {
    definitions: Record<string, JsonSchema>;
  };
  // A number is accepted too.
  definitions['io.k8s.apimachinery.pkg.api.resource.Quantity'] = { type: ['string', 'number'] };
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'kubernetes', definitions });
  const validators = new Map<string, () => ValidateFunction>();
  for (const [name, schema] of Object.entries(definitions)) {
    const kinds = (schema['x-kubernetes-group-version-kind'] ?? []) as Record<string, string>[];
    for (const { group, version, kind } of kinds)
      validators.set(`${group ? `${group}/` : ''}${version} ${kind}`, () =>
        ajv.compile({ $ref: `kubernetes#/definitions/${name}` }),
      );
  }
  for (const file of readdirSync(SCHEMAS!).filter((name) => name.endsWith('.yaml'))) {
    const { spec } = parse(read(file));
    for (const { name, schema } of spec.versions)
      validators.set(`${spec.group}/${name} ${spec.names.kind}`, () =>
        ajv.compile(withMetadata(closed(schema.openAPIV3Schema) as JsonSchema)),
      );
  }
  const compiled = new Map<string, ValidateFunction>();
  return (manifest) => {
    const kind = `${manifest.apiVersion} ${manifest.kind}`;
    const validate = compiled.get(kind) ?? validators.get(kind)?.();
    if (!validate) return [`${kind}: no schema`];
    compiled.set(kind, validate);
    validate(manifest);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${kind} ${manifest.metadata?.name}${instancePath}: ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** The API server adds its own schema of metadata to those of custom resources. */
const withMetadata = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...schema.properties, metadata: { type: 'object' } },
});

/** Returns the schema with unknown fields refused where fields are listed, as the API server does with strict validation. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isIntOrString = copy.format === 'int-or-string' || copy['x-kubernetes-int-or-string'] === true;
  if (isIntOrString) return { type: ['integer', 'string'] };
  const isOpen = copy['x-kubernetes-preserve-unknown-fields'] === true || 'additionalProperties' in copy;
  const listsFields = typeof copy.properties === 'object' && copy.type === 'object';
  return listsFields && !isOpen ? { ...copy, additionalProperties: false } : copy;
}
