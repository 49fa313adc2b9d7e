import { buildProgram, packagesToBuild } from './go-modules.mjs';

const PROGRAM = { name: 'versitygw', version: '1.8.0', source: 'github.com/versity/versitygw/cmd/versitygw' };

/** An S3 server. It is only installed: tests start their own, which they stop and kill. */
export const versitygw = {
  variable: 'S3_SERVER',
  missingPackages: () => packagesToBuild(PROGRAM),
  install: (logFile) => buildProgram(PROGRAM, logFile),
};
