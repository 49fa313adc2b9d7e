#!/usr/bin/env node
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { buildImages, GATEWAY, servicesIn } from './images/build.mjs';
import { buildStandIns } from './images/stand-ins.mjs';
import { installTools, podmanEnvironment } from './images/tools.mjs';

const USAGE = `Builds the image of each service, and of the whole gateway, with buildah. Requires Debian and root; installs the tools.
  npm run images -- [SERVICE…|${GATEWAY}] [options]
    --stand-in-bases   build the base images and engines from Debian packages, for machines without a container registry
    --check            check the images, run docker-compose.yml and the whole gateway from them, and make first calls
    --output DIR       where the SBOM of each image is written, as NAME.cdx.json (default: .gateway/images)
`;
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'stand-in-bases': { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      output: { type: 'string', default: join(REPOSITORY, '.gateway/images') },
      help: { type: 'boolean', default: false },
    },
  });
  const all = [...servicesIn(REPOSITORY), GATEWAY];
  const unknown = positionals.filter((name) => !all.includes(name));
  if (values.help || unknown.length > 0) throw new Error(USAGE);
  const names = positionals.length > 0 ? positionals : all;
  const hasStandIns = values['stand-in-bases'];
  const output = resolve(values.output);
  mkdirSync(output, { recursive: true });
  const logFile = join(output, 'build.log');
  const startedAtMs = Date.now();
  const log = (text) => console.log(`[${Math.round((Date.now() - startedAtMs) / 1000)} s] ${text}`);

  const node = await bootstrap();
  await installTools({ logFile, needsDebootstrap: hasStandIns });
  const folder = mkdtempSync(join(tmpdir(), 'gateway-images-'));
  try {
    const env = podmanEnvironment(folder);
    Object.assign(process.env, env);
    if (hasStandIns) {
      log('building stand-ins for the base images');
      await buildStandIns({ folder, logFile, node });
    }
    log('building the images');
    const images = await buildImages({
      repository: REPOSITORY,
      names,
      hasStandIns,
      folder,
      logFile,
      output,
      log,
    });
    if (!values.check) return;
    const { checkImage, checkStack } = await import('./images/check.mjs');
    const { checkGateway } = await import('./images/check-gateway.mjs');
    const { checkSbom } = await import('./images/check-sbom.mjs');
    for (const { name, image } of images) {
      const sbomFile = join(output, `${name}.cdx.json`);
      await checkSbom(sbomFile);
      await checkImage({ name, image, sbomFile, logFile });
    }
    log('the images have only what their services need, and their SBOMs are valid');
    const gateway = images.find(({ name }) => name === GATEWAY);
    if (gateway) await checkGateway({ image: gateway.image, env, logFile, log });
    if (images.some(({ name }) => name !== GATEWAY))
      await checkStack({ repository: REPOSITORY, env, logFile, hasStandIns, log });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
