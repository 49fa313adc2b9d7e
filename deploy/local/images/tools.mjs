import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCommand } from '../../../tools/engines/commands.mjs';
import { installPackages } from '../../../tools/engines/debian-packages.mjs';

/** Debian's packages, each with a program of the same name. */
const TOOLS = ['buildah', 'podman', 'runc', 'iptables', 'netavark', 'aardvark-dns'];
const FOLDERS = ['/usr/sbin', '/sbin', '/usr/lib/podman'];

/** Installs what builds and runs images, as far as it is missing; requires Debian and root. */
export async function installTools({ logFile, needsDebootstrap }) {
  const needed = [...TOOLS, ...(needsDebootstrap ? ['mmdebstrap'] : [])];
  const packages = needed.filter((name) => !findCommand(name, FOLDERS));
  try {
    await installPackages(packages, logFile);
  } catch (error) {
    throw new Error(`The tools that build images could not be installed (${logFile}): ${error.message}`);
  }
}

/**
 * Returns the environment for podman. The limits are low, because a container in a container may not raise them; crun refuses
 * hosts whose cgroups are a mixture of v1 and v2.
 */
export function podmanEnvironment(folder) {
  const file = join(folder, 'containers.conf');
  writeFileSync(
    file,
    `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
events_logger = "none"
cgroup_manager = "cgroupfs"
[network]
network_backend = "netavark"
`,
  );
  return { ...process.env, CONTAINERS_CONF: file };
}
