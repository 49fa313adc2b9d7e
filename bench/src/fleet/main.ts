import { table } from '../report/table';
import { callRows, keyRows, stoppedCellRows } from './fleet-tables';
import { parseFleetOptions, USAGE } from './options';

const INVALID_USAGE = 2;

function main(): void {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    return;
  }
  try {
    const options = parseFleetOptions(args);
    process.stdout.write(`${JSON.stringify(options)}\n`);
    for (const rows of [callRows, keyRows, stoppedCellRows]) {
      process.stdout.write(`\n${table(rows(options))}\n`);
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}`);
    process.exitCode = INVALID_USAGE;
  }
}

main();
