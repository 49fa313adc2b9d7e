import { cpSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findCommand, run } from '../../../tools/engines/commands.mjs';
import { installPackages } from '../../../tools/engines/debian-packages.mjs';
import { downloadKafkaJars, missingPackages as missingForKafka } from '../../../tools/engines/kafka-jars.mjs';

const FOLDER = join(import.meta.dirname, 'stand-ins');
const DEBIAN = 'localhost/stand-in/debian';
const TARGETS = ['node', 'postgres', 'redis', 'kafka'];
const BUILD_TIMEOUT_MS = 10 * 60_000;

/** Stand-ins for the images that docker-compose.yml and the Dockerfile name, by the repository of their name. */
export const STAND_INS = {
  debian: DEBIAN,
  ...Object.fromEntries(TARGETS.map((target) => [target, `localhost/stand-in/${target}`])),
};

/** Builds the stand-ins from Debian packages, the running Node with its npm, and Kafka's jars. */
export async function buildStandIns({ folder, logFile, node }) {
  await installPackages(missingForKafka(), logFile);
  const jars = await downloadKafkaJars(logFile);
  const context = join(folder, 'stand-ins');
  mkdirSync(context);
  cpSync(FOLDER, context, { recursive: true });
  cpSync(node, join(context, 'node'));
  const npm = dirname(dirname(realpathSync(findCommand('npm'))));
  cpSync(npm, join(context, 'npm'), { recursive: true, dereference: true });
  cpSync(jars, join(context, 'kafka-jars'), { recursive: true });

  const options = { logFile, timeoutMs: BUILD_TIMEOUT_MS };
  if (!(await exists(DEBIAN))) await createDebian(join(folder, 'debian.tar'), options);
  for (const target of TARGETS) {
    const file = ['--file', join(context, 'Containerfile'), '--target', target];
    const settings = ['--isolation=chroot', '--layers', '--format=docker', '--tag', STAND_INS[target]];
    await run('buildah', ['bud', ...settings, ...file, context], options);
  }
}

async function createDebian(tar, options) {
  const excluded = ['doc', 'man', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
  const contents = ['--variant=minbase', '--include=ca-certificates', ...excluded];
  await run('mmdebstrap', [...contents, 'bookworm', tar], options);
  await run('podman', ['import', '--quiet', tar, DEBIAN], options);
}

const exists = (image) =>
  run('podman', ['image', 'exists', image]).then(
    () => true,
    () => false,
  );
