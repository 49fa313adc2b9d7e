import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram, cacheFolder, downloadModule, packagesToBuild } from './go-modules.mjs';

export const KUBERNETES = '1.37.2';
const [major, minor] = KUBERNETES.split('.');
const PROGRAM = {
  name: 'helm',
  version: '3.22.0',
  source: 'helm.sh/helm/v3/cmd/helm',
  // The version of Kubernetes that templates see without a cluster: a build by `go install` would pretend 1.20.
  ldflags: ['lint/rules', 'chartutil']
    .map((name) => `helm.sh/helm/v3/pkg/${name}`)
    .map((path) => `-X ${path}.k8sVersionMajor=${major} -X ${path}.k8sVersionMinor=${minor}`)
    .join(' '),
};
/** The published schemas of every kind that the chart may create. */
const SCHEMAS = [
  [`k8s.io/kubernetes@v${KUBERNETES}`, 'api/openapi-spec/swagger.json'],
  ['sigs.k8s.io/gateway-api@v1.6.2', 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  [
    'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
  ],
];

/** Helm, and the schemas with which its output is checked. */
export const helm = {
  variable: 'HELM',
  schemasVariable: 'KUBERNETES_SCHEMAS',
  missingPackages: () => packagesToBuild(PROGRAM),
  install: (logFile) => buildProgram(PROGRAM, logFile),
  installSchemas,
};

/** Returns a folder with the schemas. */
async function installSchemas(logFile) {
  const folder = join(cacheFolder(), `kubernetes-schemas-${KUBERNETES}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  const work = mkdtempSync(join(cacheFolder(), 'schemas-'));
  try {
    for (const [module, file] of SCHEMAS) {
      const target = join(work, file.split('/').at(-1));
      copyFileSync(join(await downloadModule(module, logFile), file), target);
    }
    renameSync(work, folder);
    return folder;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
