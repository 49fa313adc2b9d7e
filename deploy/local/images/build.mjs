import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from '../../../tools/engines/commands.mjs';
import { STAND_INS } from './stand-ins.mjs';

const BUILD_TIMEOUT_MS = 15 * 60_000;

/** The image of the whole gateway in one container. */
export const GATEWAY = 'gateway';

export const imageOf = (service) => `localhost/model-gateway/${service}`;

/** The services that have an image: the folders in `services/`. */
export function servicesIn(repository) {
  return readdirSync(join(repository, 'services')).filter((name) =>
    existsSync(join(repository, 'services', name, 'package.json')),
  );
}

/** Builds the images and writes the SBOM of each to `output`. Returns size and duration of each. @param names of services, or `GATEWAY` */
export async function buildImages({ repository, names, hasStandIns, folder, logFile, output, log }) {
  const common = [
    'bud',
    '--isolation=chroot',
    '--layers',
    // OCI's format has no HEALTHCHECK.
    '--format=docker',
    '--build-arg',
    `VERSION=${JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version}`,
    '--build-arg',
    `REVISION=${await revision(repository)}`,
    ...(await registryAccess(folder)),
    ...(hasStandIns ? ['--build-arg', `NODE_IMAGE=${STAND_INS.node}`] : []),
    ...(hasStandIns ? ['--build-arg', `DEBIAN_IMAGE=${STAND_INS.debian}`] : []),
  ];
  mkdirSync(output, { recursive: true });
  const results = [];
  for (const name of names) {
    const startedAtMs = Date.now();
    const image = imageOf(name);
    const which = name === GATEWAY ? ['--target', GATEWAY] : ['--build-arg', `SERVICE=${name}`];
    const args = [...common, ...which, '--tag', image, repository];
    await run('buildah', args, { logFile, timeoutMs: BUILD_TIMEOUT_MS });
    const durationMs = Date.now() - startedAtMs;
    const cat = ['run', '--rm', '--network=none', '--no-healthcheck', image, 'cat', '/app/sbom.cdx.json'];
    writeFileSync(join(output, `${name}.cdx.json`), await run('podman', cat, { logFile }));
    const sizeBytes = Number(await run('podman', ['image', 'inspect', '--format', '{{.Size}}', image]));
    log(`${image}: ${Math.round(sizeBytes / 1e6)} MB in ${Math.round(durationMs / 1000)} s`);
    results.push({ name, image, sizeBytes, durationMs });
  }
  return results;
}

/** The npm registry of this machine, as secrets that don't get into the image, and its package store. */
async function registryAccess(folder) {
  // npm finds its global configuration by the Node that runs it, which must not be the checkout's.
  const path = process.env.PATH.split(delimiter).filter((name) => !name.endsWith('node_modules/.bin'));
  const env = { ...process.env, PATH: path.join(delimiter) };
  const config = async (name) => (await run('npm', ['config', 'get', name], { env })).trim();
  const [registry, userConfig, cafile] = [
    await config('registry'),
    await config('userconfig'),
    await config('cafile'),
  ];
  const authority = [cafile, process.env.NODE_EXTRA_CA_CERTS].find((file) => file && existsSync(file));
  const npmrc = join(folder, 'npmrc');
  const own = existsSync(userConfig)
    ? readFileSync(userConfig, 'utf8').replace(/^(cafile|registry|nodedir)\b.*$/gm, '')
    : '';
  writeFileSync(npmrc, `${own}\nregistry=${registry}\n${authority ? 'cafile=/run/secrets/ca\n' : ''}`, {
    mode: 0o600,
  });
  const store = join(process.env.HOME, '.local/share/pnpm/store');
  return [
    '--secret',
    `id=npmrc,src=${npmrc}`,
    ...(authority ? ['--secret', `id=ca,src=${authority}`] : []),
    ...(existsSync(store) ? ['--volume', `${store}:/pnpm/store`] : []),
  ];
}

async function revision(repository) {
  const commit = await run('git', ['-C', repository, 'rev-parse', 'HEAD']).catch(() => 'unknown');
  return commit.trim();
}
