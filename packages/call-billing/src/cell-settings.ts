import { addresses, cellName, commaSeparated, parseEnv, SettingsError } from '@gateway/process';

/** Name of the first cell in settings and parameters. In messages it is empty. */
export const HOME_CELL = 'home';

/** A cell other than home. */
export interface CellAddress {
  readonly name: string;
  /** Of its billing. */
  readonly addresses: readonly string[];
  /** Absent: those of home. */
  readonly kafkaBrokers?: readonly string[] | undefined;
}

/**
 * Reads the cells other than home: `CELLS` names them, and each has a `BILLING_ADDR_<CELL>` and may have a `KAFKA_BROKERS_<CELL>`.
 * @throws SettingsError
 */
export function readCells(env: NodeJS.ProcessEnv): CellAddress[] {
  const { CELLS: names = [] } = parseEnv(
    { CELLS: commaSeparated().pipe(cellName().array()).optional() },
    env,
  );
  if (new Set(names).size < names.length) throw new SettingsError(['CELLS: a cell is named twice']);
  return names.map((name) => {
    const [address, brokers] = [`BILLING_ADDR_${name.toUpperCase()}`, `KAFKA_BROKERS_${name.toUpperCase()}`];
    const settings = parseEnv({ [address]: addresses(), [brokers]: commaSeparated().optional() }, env);
    return { name, addresses: settings[address]!, kafkaBrokers: settings[brokers] };
  });
}
