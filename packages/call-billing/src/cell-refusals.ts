import type { Logger } from '@gateway/process';
import { callUnary } from '@gateway/rpc';
import type { CellBilling, Cells } from './cells';
import { type Refusal, RefusalReporter } from './refusal-reporter';

const TIMEOUT_MS = 5_000;

/** Reports each refused call to the cell of its account; home counts those of a cell that this process does not know. */
export class CellRefusals {
  readonly #reporters: Cells<RefusalReporter>;

  constructor(cells: Cells<CellBilling>, log: Logger) {
    this.#reporters = cells.map(
      ({ client }) =>
        new RefusalReporter({
          send: (report) => callUnary(client, client.ReportRefusals, report, { timeoutMs: TIMEOUT_MS }),
          log,
        }),
    );
  }

  add(refusal: Refusal): void {
    (this.#reporters.find(refusal.cell) ?? this.#reporters.home).add(refusal);
  }

  async close(): Promise<void> {
    await Promise.all(this.#reporters.all.map((reporter) => reporter.close()));
  }
}
