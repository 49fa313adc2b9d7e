/** One sample of a metric. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Returns the sum of a metric's samples that a process exports. */
export async function readMetric(adminUrl: string, name: string): Promise<number> {
  const samples = await readSamples(adminUrl, name);
  if (samples.length === 0) throw new Error(`${adminUrl} exports no ${name}`);
  return samples.reduce((sum, { value }) => sum + value, 0);
}

export async function readSamples(adminUrl: string, name: string): Promise<Sample[]> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .map((line) => ({
      labels: Object.fromEntries(
        [...line.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [`${label}`, `${value}`]),
      ),
      value: Number(line.slice(line.lastIndexOf(' ') + 1)),
    }));
}
